create table t (a int primary key);
insert into t values (1);
\! vacuumdb -z -t t tablewright 2>&1
\! reindexdb -t t tablewright 2>&1
\! clusterdb -t t tablewright 2>&1
\! pg_isready -q && echo ready
\! vacuumlo tablewright 2>&1

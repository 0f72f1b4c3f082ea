create table t (id int primary key, v text not null default 'x');
create index i on t (v);
create view vw as select * from t;
create materialized view mv as select * from t;
create sequence s;
create foreign table ft () server nope;
\d
\dt
\dt+
\dv
\dm
\ds
\di
\dE
\dtvi
\d t
\d+ t
\d vw
\d i
\d s
\d t_pkey
\d nope
\dt nope
\dt wr*.t
\d writer.*
\dS+ pg_am
\d pg_catalog.pg_am
\d "T"
\d a.b.c
\d tablewright.writer.t
\d other.writer.t

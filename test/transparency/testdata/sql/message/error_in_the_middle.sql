--: message
create table t (n int); insert into t values (1); select nope; select 'not run'

--: message
create table t (n int); select 'not run'; zork 1

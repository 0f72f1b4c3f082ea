--: message
create table t (n int); select 'not run'; selec 1

--: message
create table t (a int); drop database nope; select 1

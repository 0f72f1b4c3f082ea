--: message
create table t (n int); discard all; select 1

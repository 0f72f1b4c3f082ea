--: message
create table t (n int); set role none; select current_user; set role nope; select 1

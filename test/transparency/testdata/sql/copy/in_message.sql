--: message
create table t (n int); copy t from stdin; select count(*) from t

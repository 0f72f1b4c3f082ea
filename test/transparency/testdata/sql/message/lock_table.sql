--: message
create table t (n int); lock table t; select count(*) from t

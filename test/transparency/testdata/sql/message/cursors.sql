--: message
create table t as select generate_series(1, 4) n; declare c cursor for select * from t; fetch 2 from c; fetch all from c; close c; fetch c

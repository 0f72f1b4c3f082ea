--: message
create table t as select generate_series(1, 3) n; copy t to stdout; select 'between'; copy (select n * 2 from t) to stdout; select 1/0; copy t to stdout

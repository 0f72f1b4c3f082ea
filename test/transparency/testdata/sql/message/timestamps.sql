--: message
create table t (n int); select now() = statement_timestamp(), statement_timestamp() <= clock_timestamp(), now() = transaction_timestamp(); insert into t values (1)

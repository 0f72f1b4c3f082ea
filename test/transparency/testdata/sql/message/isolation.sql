--: message
set transaction isolation level serializable; create table t (n int); show transaction_isolation; select 1

--: message
select 1; set transaction isolation level serializable; create table t (n int)

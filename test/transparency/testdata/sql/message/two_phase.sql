--: message
begin; create table t (n int); prepare transaction 'x'; select 1

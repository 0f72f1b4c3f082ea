--: message
create table t (n int); create table l (n int); create rule r as on insert to t do also (insert into l values (new.n); insert into l values (-new.n)); insert into t values (7); select * from l order by n

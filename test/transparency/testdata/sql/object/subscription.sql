create subscription s connection 'host=nowhere' publication p;
create subscription s connection 'host=nowhere' publication p with (connect = false);
alter subscription s disable;
alter subscription nope enable;
alter subscription nope rename to x;
drop subscription nope;
drop subscription if exists nope;
begin;
drop subscription if exists nope;
rollback;
select subname from pg_subscription;
select count(*) from pg_stat_subscription;
\dRs

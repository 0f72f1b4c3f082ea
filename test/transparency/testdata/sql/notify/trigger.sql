create table t (n int);
create function tell() returns trigger language plpgsql as $$
begin perform pg_notify('changes', tg_op || ' ' || coalesce(new.n, old.n)); return null; end $$;
create trigger tell after insert or update or delete on t for each row execute function tell();
listen changes;
insert into t values (1), (2);
update t set n = n + 10;
delete from t where n = 11;
begin;
insert into t values (5);
rollback;
select * from t;

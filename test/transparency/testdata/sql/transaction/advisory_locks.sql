select pg_advisory_lock(42);
select pg_try_advisory_lock(42);
\! psql -X -At -c 'select pg_try_advisory_lock(42), pg_try_advisory_lock(1, 2)'
select pg_advisory_unlock(42), pg_advisory_unlock(42);
select pg_advisory_unlock(42);
select locktype, classid, objid, objsubid, mode from pg_locks where locktype = 'advisory' and pid = pg_backend_pid();
begin;
select pg_advisory_xact_lock(7, 8), pg_advisory_xact_lock_shared(9);
\! psql -X -At -c "set lock_timeout = 30" -c 'select pg_try_advisory_lock(7, 8)' -c 'select pg_try_advisory_lock_shared(9)' -c 'select pg_advisory_lock(9)'
commit;
select pg_advisory_unlock_shared(9);
select pg_advisory_lock(1);
select pg_advisory_unlock_all();

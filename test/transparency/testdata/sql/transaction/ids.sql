begin;
select pg_current_xact_id_if_assigned() is null as none;
create table t (n int);
select pg_current_xact_id_if_assigned() is null as none;
select xmin::text = pg_current_xact_id()::xid::text as mine from pg_class where oid = 't'::regclass;
commit;
select pg_xact_status('3'::xid8);
select pg_xact_status('9223372036854775807'::xid8);
select txid_current() > 0;

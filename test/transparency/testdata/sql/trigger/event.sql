create function et() returns event_trigger language plpgsql as $$ begin raise notice 'never'; end $$;
create event trigger e on ddl_command_end execute function et();
create event trigger e on nonsense execute function et();
alter event trigger nope disable;
alter event trigger nope rename to x;
drop event trigger nope;
drop event trigger if exists nope;
select evtname, evtevent, evtenabled from pg_event_trigger order by 1;
\dy

do $$ begin
  raise debug 'debug'; raise log 'log'; raise info 'info'; raise notice 'notice'; raise warning 'warning';
end $$;
set client_min_messages = debug1;
do $$ begin raise debug 'debug now'; raise log 'log now'; end $$;
set client_min_messages = error;
do $$ begin raise notice 'hidden'; raise warning 'hidden'; raise info 'info always'; end $$;
reset client_min_messages;
do $$ begin raise notice 'a % and a % %%', 1, array['x', null] using detail = E'two\nlines', hint = 'hint', errcode = '01XYZ'; end $$;
do $$ begin raise notice '%', 1, 2; end $$;
do $$ begin for i in 1..20 loop raise notice '% %', i, repeat('n', i * 50); end loop; end $$;
do $$ begin raise notice 'before the error'; perform 1/0; end $$;
\set VERBOSITY terse
do $$ begin raise notice 'terse' using detail = 'not shown'; end $$;
select 1/0;
\set VERBOSITY sqlstate
select 1/0;
\set VERBOSITY default
\set SHOW_CONTEXT errors
do $$ begin raise notice 'default' using detail = 'shown'; perform 1/0; end $$;
\set SHOW_CONTEXT never
do $$ begin perform 1/0; end $$;
\errverbose

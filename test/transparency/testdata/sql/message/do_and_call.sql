--: message
create procedure p() language plpgsql as $$ begin raise notice 'called'; commit; end $$; do $$ begin raise notice 'done'; end $$; call p(); select 1

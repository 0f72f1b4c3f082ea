--: message
select ';', $$;$$, $a$ ; $$ ; $a$, E'\';', ";" from (select 1 as ";") x; select 2 -- ; not a statement

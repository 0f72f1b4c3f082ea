--: message
select 1 as a; select 'b' as b; ; select null; values (1), (2);

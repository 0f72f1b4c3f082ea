begin;
declare b binary cursor for select 1::int4, 'abc'::text, true;
move all in b;
close b;
declare b binary cursor for select 'plain'::text;
fetch b;
fetch all b;
commit;

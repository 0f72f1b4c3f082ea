begin;
declare a cursor for select generate_series(1, 4);
declare b cursor for select chr(96 + g) from generate_series(1, 4) g;
fetch a; fetch b; fetch 2 from a; fetch 3 from b; fetch a;
declare a cursor for select 2;
select 1;
commit;

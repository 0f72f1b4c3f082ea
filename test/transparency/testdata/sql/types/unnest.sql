select unnest(array[[1, 2], [3, 4]]), unnest('{a,b}'::text[]);
select * from unnest(array[10, 20]) with ordinality;
select array(select g from generate_series(1, 3) g), array_agg(x order by x desc) from (values (1), (2)) v(x);

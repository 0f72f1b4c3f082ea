select array[1, 2, 3], '{1,2,null}'::int[], array[[1, 2], [3, 4]], '{}'::text[], array['a,b', 'c"d', '', 'NULL', null], '[2:3]={5,6}'::int[];

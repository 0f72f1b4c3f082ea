select '{1,2'::int[];
select '{{1,2},{3}}'::int[];
select array[1, 'x'];
select array[];
select array[[1], [2, 3]];
select '{a}'::int[];
select array[1] || array['x'];

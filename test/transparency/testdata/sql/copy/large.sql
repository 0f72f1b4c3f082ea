create table t (id int, pad text);
\copy t from program 'seq 1 20000 | sed "s/$/\tabcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyz/"'
select count(*), sum(id), min(length(pad)) from t;
copy (select id, pad from t where id % 100 = 0 order by id) to stdout;
\copy t to program 'md5sum'
\copy (select repeat('x', 3000000)) to program 'wc -c'
create table big (v text);
\copy big from program 'head -c 4000000 /dev/zero | tr "\\0" y'
select length(v), md5(v) from big;

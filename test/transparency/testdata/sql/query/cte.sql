with a as (select 1 as x), b as (select x + 1 as y from a) select * from a, b;
with recursive t(n) as (values (1) union all select n + 1 from t where n < 5) select sum(n), array_agg(n) from t;
create table tree (id int, parent int, name text); insert into tree values (1, null, 'root'), (2, 1, 'a'), (3, 1, 'b'), (4, 2, 'c'), (5, 4, 'd');
with recursive w as (select id, name, 0 as depth from tree where parent is null union all select t.id, t.name, depth + 1 from tree t join w on t.parent = w.id) select repeat(' ', depth) || name from w order by id;
with recursive w as (select id, parent from tree where id = 1 union all select t.id, t.parent from tree t, w where t.parent = w.id) search depth first by id set o select id, o from w order by o;
with recursive w(id, p) as (select 1, 1 union all select 3 - id, id from w) cycle id set looped using path select * from w;
with moved as (delete from tree where id > 3 returning *), kept as (insert into tree select id + 10, parent, name from moved returning id) select * from kept order by 1;
select * from tree order by id; with x as materialized (select 1) select * from x; with x as not materialized (select 1 as k) select k from x;
with recursive r as (select 1 union all select * from r order by 1) select * from r; with recursive r as (select n from r) select 1; with x as (select 1), x as (select 2) select 1; with x as (insert into tree values (1)) select * from x; with x(a, b) as (select 1) select 1;

create table a (id int, x text); create table b (id int, a_id int, y text);
insert into a values (1, 'one'), (2, 'two'), (3, 'three'); insert into b values (1, 1, 'p'), (2, 1, 'q'), (3, 9, 'r');
select * from a join b on a.id = b.a_id order by 1, 3; select * from a left join b on a.id = b.a_id order by 1, 3; select * from a right join b on a.id = a_id order by b.id; select * from a full join b on a.id = a_id order by a.id, b.id;
select * from a natural join b order by 1; select * from a join b using (id) order by 1; select j.id from a join b using (id) as j order by 1; select * from a cross join (select 1 as k) c order by 1;
select a.x, l.n from a, lateral (select count(*) n from b where b.a_id = a.id) l order by 1; select * from a where not exists (select from b where a_id = a.id) order by 1;
select * from a join b on true where a.id = nope; select id from a, b; select a.* from a x; select * from a join b; select * from a natural join nowhere; select * from a, a;
select * from b, (select b.id) s; select x.a from a x group by x; select a from a order by a.id;

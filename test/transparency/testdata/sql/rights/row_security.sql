create table doc (id int, owner text, body text);
insert into doc values (1, 'writer', 'a'), (2, 'other', 'b');
alter table doc enable row level security;
select * from doc order by id;
alter table doc force row level security;
select * from doc;
create policy own on doc using (owner = current_user) with check (owner = current_user);
create policy none on doc as restrictive for delete to public using (false);
select * from doc; insert into doc values (3, 'other', 'x'); insert into doc values (4, 'writer', 'y'); delete from doc; update doc set owner = 'x'; update doc set body = 'z' returning *;
\d doc
alter policy own on doc rename to mine; alter policy mine on doc to writer using (true); alter policy mine on doc with check (id < 10); alter policy nope on doc using (true); alter policy mine on doc to nobody_here;
select * from doc order by id; copy doc to stdout; set row_security = off; select * from doc; reset row_security; explain (costs off) select * from doc; select * from pg_policies where tablename = 'doc' order by policyname;
create policy mine on doc; create policy bad on doc for select with check (true); create policy bad on doc for insert using (true); create policy bad on nope using (true); create policy bad on doc using (nope);
drop policy mine on doc; drop policy mine on doc; drop policy if exists mine on doc; alter table doc no force row level security; alter table doc disable row level security; select count(*) from doc;

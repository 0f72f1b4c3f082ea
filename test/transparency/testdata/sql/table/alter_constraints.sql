create table p (id int primary key, code text);
create table t (a int, b int, c text);
insert into t values (1, 1, 'x'), (2, 2, 'y');
alter table t add primary key (a);
alter table t add constraint b_pos check (b > 1);
alter table t add constraint b_pos check (b > 1) not valid;
alter table t validate constraint b_pos;
alter table t add constraint fk foreign key (a) references p;
alter table t add constraint fk foreign key (a) references p not valid;
alter table t alter constraint fk deferrable initially deferred;
alter table t rename constraint b_pos to b_positive;
\d t
\d p
alter table t drop constraint b_positive, drop constraint if exists nope;
alter table t drop constraint nope;
alter table t add unique nulls not distinct (c);
create unique index u_idx on t (b);
alter table t add constraint u_con unique using index u_idx;
alter table p drop constraint p_pkey;
alter table p drop constraint p_pkey cascade;
alter table t add exclude using btree (b with =);
alter table t add constraint e exclude using gist (a with =);

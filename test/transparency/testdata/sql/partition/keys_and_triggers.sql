create table p (id int, region text, primary key (id, region)) partition by list (region);
create table p_eu partition of p for values in ('eu');
create table p_us (region text not null, id int not null);
alter table p attach partition p_us for values in ('us');
create table bad (id int primary key, region text) partition by list (region);
create function note() returns trigger language plpgsql as $$ begin raise notice '% % %', tg_table_name, tg_op, new.id; return new; end $$;
create trigger note after insert on p for each row execute function note();
insert into p values (1, 'eu'), (2, 'us');
insert into p values (1, 'eu');
create table c (id int, region text, foreign key (id, region) references p);
insert into c values (3, 'eu');
alter table p detach partition p_eu;
delete from p;
alter table p detach partition p_us concurrently;
create table e partition of p for values in (lower('EE'));
alter table only p add column x int;
alter table p_us add column y int;
\d+ p

--: args -q -A -t -F, -R;
select 1, 'a' union all select 2, 'b' order by 1;
create table t (a int);
insert into t values (1);
select null, true;

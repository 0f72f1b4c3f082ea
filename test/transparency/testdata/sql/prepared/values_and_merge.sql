create table t (k int primary key, v int);
prepare m (int, int) as merge into t using (values ($1, $2)) s (k, v) on t.k = s.k
  when matched then update set v = t.v + s.v when not matched then insert values (s.k, s.v);
execute m(1, 10);
execute m(1, 5);
execute m(2, 1);
select * from t order by k;
prepare vals as values ($1, 1), ('x', $2);
execute vals('a', 2);

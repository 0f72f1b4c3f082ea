create type pair as (a int, b text);
create table t of pair (primary key (a));
\d t
alter table t add c int;
alter table t not of;
alter table t add c int;
alter table t of pair;
alter table t drop c;
alter table t of pair;
alter type pair add attribute c int;
alter type pair add attribute c int cascade;
\d t

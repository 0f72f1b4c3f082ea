--: role createrole
create role reader;
create table t (a int, b text);
grant select, insert (a) on t to reader;
grant update (b), references on t to reader with grant option;
\dp t
\z t
set role reader;
grant writer to reader;
revoke insert (a) on t from reader;
revoke grant option for update (b) on t from reader;
revoke all on t from reader;
grant nonsense on t to reader;
grant select on nope to reader;
grant select on t to nobody_here;
grant select (nope) on t to reader;
grant all privileges on all tables in schema writer to reader;
grant select on t to public;
revoke select on t from public cascade;
revoke truncate on t from reader granted by current_user;
\dp t
select has_table_privilege('reader', 't', 'select'), has_column_privilege('t', 'a', 'update'), has_schema_privilege('reader', 'writer', 'usage');
select has_table_privilege('reader', 't', 'nonsense');
drop role reader;
revoke all on all tables in schema writer from reader;
drop role reader;

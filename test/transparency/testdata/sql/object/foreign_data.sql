--: setup create foreign data wrapper dummy options (debug 'true'); grant usage on foreign data wrapper dummy to writer
--: teardown drop foreign data wrapper dummy cascade
create server srv type 'x' version '1' foreign data wrapper dummy options (host 'h');
create server if not exists srv foreign data wrapper dummy;
create server bad foreign data wrapper nope;
create user mapping for current_user server srv options (user 'u', password 'p');
create user mapping for public server srv;
create user mapping if not exists for public server srv;
create user mapping for public server nope;
create foreign table ft (id int options (name 'ID') not null, v text default 'x') server srv options (file 'f');
create foreign table ft2 () server nope;
select * from ft;
insert into ft values (1);
explain select * from ft;
import foreign schema remote limit to (a, b) from server srv into writer;
import foreign schema remote from server nope into writer;
\d ft
\d+ ft
\des+ srv
\deu+
\dew dummy
\det
alter foreign table ft add column c int;
alter foreign table ft alter column id options (set name 'X', add y 'z');
alter foreign table ft options (drop file);
alter foreign table ft rename to ft3;
alter foreign table ft3 rename column c to d;
alter foreign table nope add x int;
alter foreign table if exists nope add x int;
alter server srv version '2' options (set host 'i', add port '5');
alter server srv rename to srv2;
alter server srv2 owner to current_user;
alter server nope version '2';
alter user mapping for current_user server srv2 options (drop password);
alter user mapping for writer server nope options (a 'b');
alter foreign data wrapper dummy options (set debug 'false');
alter foreign data wrapper dummy rename to d2;
create foreign data wrapper mine;
drop foreign data wrapper dummy;
drop user mapping for public server srv2;
drop user mapping if exists for public server srv2;
drop server srv2;
drop foreign table ft3;
drop foreign table if exists ft3;
drop server srv2 cascade;
drop server if exists srv2;
drop server srv2;

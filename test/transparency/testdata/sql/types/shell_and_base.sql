create type shell;
create type shell;
drop type shell;
create type based (input = int4in, output = int4out);
alter type int4 set (storage = plain);
\dT shell
create type x.y as enum ('a');
drop type nope;
drop type if exists nope;
drop type if exists noschema.nope;
alter type nope add value 'x';
alter type int4 rename to integer4;

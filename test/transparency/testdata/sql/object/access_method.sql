create access method am type index handler bthandler;
create access method am type table handler heap_tableam_handler;
create access method am type nope handler x;
drop access method nope;
drop access method if exists nope;
drop access method btree;
create table t (a int) using heap;
create table bad (a int) using nope;
create table bad (a int) using btree;
set default_table_access_method = 'nope';
show default_table_access_method;
\dA
\dA+ heap

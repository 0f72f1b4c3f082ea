--: message
create function f() returns int language sql as 'select 1'; select f(); create or replace function f() returns int language sql as 'select 2'; select f(); drop function f(); select f()

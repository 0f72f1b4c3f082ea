--: message
create function f() returns int language plpgsql as 'begin perform 1; return 5; end;'; create function g() returns int begin atomic select 1; select 2; end; select f(), g()

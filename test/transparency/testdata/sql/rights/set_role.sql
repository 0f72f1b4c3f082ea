--: role createrole
create role lower_one; create role outsider;
set role lower_one;
grant lower_one to writer;
set role lower_one; select current_user, session_user; create table x (a int); create temp table y (a int); show role; reset role; select current_user;
set role none; set role writer; set local role lower_one; begin; set local role lower_one; select current_user; commit; select current_user; set role 'lower_one'; select current_role; set session authorization default; reset session authorization; select current_user; set session authorization writer; set session role lower_one; discard all; select current_user; set role nope;
grant outsider to lower_one; set role outsider; select current_user; reset role;
drop role lower_one; drop role outsider;

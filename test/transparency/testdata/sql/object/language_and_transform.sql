create language plperl;
create trusted language plx handler nope;
create or replace language plpgsql;
alter language plpgsql rename to x;
alter language nope rename to x;
alter procedural language plpgsql owner to current_user;
drop language nope;
drop language if exists nope;
drop language plpgsql;
create transform for int language sql (from sql with function nope(internal), to sql with function nope(internal));
create transform for int language plpgsql (from sql with function int4recv(internal));
drop transform for int language sql;
drop transform if exists for int language sql;
\dL

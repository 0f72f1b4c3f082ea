--: env PGOPTIONS=--no-such-switch -Z
select 1;

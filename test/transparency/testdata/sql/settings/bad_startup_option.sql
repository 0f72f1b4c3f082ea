--: env PGOPTIONS=-c nonsense=1
select 1;

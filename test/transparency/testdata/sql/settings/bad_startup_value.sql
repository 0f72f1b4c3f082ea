--: env PGOPTIONS=-c work_mem=nonsense
select 1;

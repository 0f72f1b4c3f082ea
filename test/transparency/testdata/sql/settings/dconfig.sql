\dconfig work_mem
\dconfig+ *datestyle*
\dconfig nope*
select name, setting, unit, context, vartype, source, boot_val from pg_settings where name in ('work_mem', 'client_encoding', 'datestyle', 'application_name') order by 1;
select count(*) from pg_settings;
select * from pg_show_all_settings() where name = 'nope';
select name, source from pg_settings where source in ('session', 'client', 'user', 'database') order by 1;
update pg_settings set setting = '2MB' where name = 'work_mem';
show work_mem;

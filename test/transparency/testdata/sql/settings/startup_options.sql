--: env PGOPTIONS=-c work_mem=12MB -c search_path=public --statement-timeout=5000
--: env PGAPPNAME=my_program
--: env PGTZ=Asia/Tokyo
--: env PGDATESTYLE=German
show work_mem;
show search_path;
show statement_timeout;
show application_name;
show timezone;
show datestyle;
reset all;
show work_mem;
show datestyle;
select current_date is not null;
set work_mem = '1MB';
reset work_mem;
show work_mem;
discard all;
show search_path;

--: grant pg_read_all_stats pg_checkpoint pg_monitor
checkpoint;
select count(*) > 0 from pg_stat_activity;
select pg_size_pretty(1234567::bigint);
select name from pg_settings where name = 'data_directory';
select count(*) > 0 from pg_ls_waldir();
select * from pg_ls_logdir() limit 0;
show config_file;
select pg_database_size('tablewright') > 0;
select count(*) >= 0 from pg_stat_replication;
select state from pg_stat_activity where pid = pg_backend_pid();
select query from pg_stat_activity where pid = pg_backend_pid();
select application_name, usename, datname, client_addr, client_port from pg_stat_activity where pid = pg_backend_pid();
select backend_type from pg_stat_activity where pid = pg_backend_pid();
select ssl from pg_stat_ssl where pid = pg_backend_pid();

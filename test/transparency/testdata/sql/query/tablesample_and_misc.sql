create table t as select g as n from generate_series(1, 1000) g;
select count(*) from t tablesample bernoulli (100); select count(*) from t tablesample system (0); select * from t tablesample nope (1); select count(*) from t tablesample bernoulli (10) repeatable (42); select * from t tablesample bernoulli (-1);
select ctid, n from t where ctid = '(0,1)'; select tableoid::regclass, xmax, cmin from t limit 1; select t from t where n = 1; select (t).n from t where n = 2; select count(t.*) from t;
select oid::regclass from pg_class where relname = 't' and relnamespace = 'writer'::regnamespace; select current_database(), current_schema, current_user, session_user, current_schemas(true), current_catalog, user; select version(); show server_version; select current_query(); select inet_client_addr(), inet_server_port(); select pg_is_in_recovery(), pg_backend_pid() > 0, pg_postmaster_start_time() < now();
select current_query(); -- with a comment

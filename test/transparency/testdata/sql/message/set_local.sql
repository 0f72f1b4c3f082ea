--: message
set local work_mem = '2MB'; show work_mem; create schema s; set local search_path = s; create table t (n int); select 't'::regclass

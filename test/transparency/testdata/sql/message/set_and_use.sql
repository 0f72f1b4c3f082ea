--: message
set search_path = public; create temp table t (n int); set work_mem = '2MB'; show work_mem; reset work_mem; show search_path

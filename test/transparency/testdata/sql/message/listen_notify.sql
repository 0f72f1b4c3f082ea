--: message
listen a; notify a, 'x'; create table t (n int); select 1; notify a, 'y'

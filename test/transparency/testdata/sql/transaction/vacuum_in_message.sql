--: message
create table v (n int); vacuum v; select 1

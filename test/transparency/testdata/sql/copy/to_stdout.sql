create table t (id int, name text, at timestamp);
insert into t values (1, 'a', '2024-01-02 03:04:05'), (2, null, null), (3, E'tab\tnl\nback\\', 'infinity');
copy t to stdout;
copy t (name, id) to stdout with (format csv, header true, force_quote *);
copy (select id, upper(name) from t order by id desc) to stdout with csv delimiter ';' null 'nil';
copy t to stdout (format text, delimiter ',', null '-');
copy (values (1, 'x'), (2, 'y')) to stdout;
copy (select 1/0) to stdout;
copy (insert into t values (4, 'r', now()) returning id) to stdout;

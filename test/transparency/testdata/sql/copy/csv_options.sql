create table t (a text, b text, c text);
copy t from stdin (format csv, quote '''', escape '\', force_null (b), force_not_null (c), null 'x');
'it\'s',x,x
'x','x','multi
line'
\.
select a, b is null as bnull, c from t;
copy t to stdout (format csv, quote '''', escape '\', force_quote (a, c));
copy t from stdin (format csv, header match);
a,b,wrong
1,2,3
\.
copy t from stdin (format csv, header match);
a,b,c
1,2,3
\.
copy t from stdin (format csv, encoding 'LATIN1');
caf,2,3
\.
copy t from stdin (format text, quote '"');
copy t from stdin (format csv, delimiter '"');
copy t to stdout (format csv, force_not_null (a));
select count(*) from t;

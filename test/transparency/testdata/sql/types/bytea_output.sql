select '\xDEADbeef'::bytea, 'a\000b\\'::bytea, ''::bytea;
set bytea_output = escape;
select '\x00ff41'::bytea;
reset bytea_output;
select '\xabc'::bytea;
select '\xzz'::bytea;
select 'a\9'::bytea;

select 'abc'::char(5) || '|', 'abc'::varchar(2), 'x'::"char", 'abcdef'::name;

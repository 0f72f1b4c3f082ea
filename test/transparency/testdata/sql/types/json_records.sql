select * from jsonb_to_recordset('[{"a": 1, "b": "x"}, {"a": 2}]') as x(a int, b text);
select * from jsonb_populate_record(null::pg_am, '{"amname": "x"}');

select '$.a['::jsonpath;
select jsonb_path_query('{"a": 1}', 'strict $.b');
select jsonb_typeof('1'), json_typeof('null'), '1'::jsonb::int, '"x"'::jsonb::int;

select * from jsonb_each('{"a": 1, "b": null}');
select * from jsonb_array_elements_text('["x", null, 2]');
select * from jsonb_object_keys('{"q": 1}');
select jsonb_array_length('[1, 2]'), jsonb_array_length('{}');

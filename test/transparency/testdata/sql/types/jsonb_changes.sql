select jsonb_set('{"a": [1, 2]}', '{a,1}', '"x"'), jsonb_insert('{"a": [1]}', '{a,0}', '0'), jsonb_strip_nulls('{"a": null, "b": 1}'), jsonb_pretty('{"a": [1, {"b": 2}]}');

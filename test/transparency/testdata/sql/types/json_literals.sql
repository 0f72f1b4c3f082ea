select '{"a": 1, "b": [1, 2, {"c": null}], "a": 2}'::json, '{"b": 1, "a": 1, "a": 2, "n": 1.10}'::jsonb;

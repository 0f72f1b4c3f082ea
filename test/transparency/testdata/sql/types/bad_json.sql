select '{bad}'::json;
select '{"a": }'::jsonb;
select '[1, 2'::json;
select '"\u0000"'::jsonb;
select '"\ud83d"'::jsonb;
select '{"a":1} x'::json;
select ''::json;

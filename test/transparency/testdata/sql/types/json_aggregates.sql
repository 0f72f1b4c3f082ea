select json_agg(g), jsonb_object_agg(g, g * g) from generate_series(1, 3) g;

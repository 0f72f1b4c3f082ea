-- The queries of a snapshot are long and take longer to plan than to run; with arrays among their parameters
-- PostgreSQL would plan them anew each time.

-- +goose Up
alter function tablewright.snapshot(jsonb, name[], oid[]) set plan_cache_mode = force_generic_plan;

-- +goose Down
alter function tablewright.snapshot(jsonb, name[], oid[]) reset plan_cache_mode;

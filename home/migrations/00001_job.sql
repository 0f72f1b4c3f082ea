-- +goose Up
select 1;

-- +goose Down
select 1;

-- A job names each object that it is about, so that a statement on one of them finds it.

-- +goose Up
alter table tablewright.job add column targets text[] not null default '{}';
update tablewright.job set targets = array[target];

-- +goose Down
alter table tablewright.job drop column targets;

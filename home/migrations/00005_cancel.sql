-- A CancelRequest that reached a gateway which does not have the session: the others look for it here.

-- +goose Up
-- Unlogged: a request is worth seconds only.
create unlogged table tablewright.cancel_request (
  id uuid primary key,
  pid bigint not null,
  -- Only a gateway can make the code of a key; the key itself is nowhere.
  code bytea not null,
  at timestamptz not null default now()
);

-- +goose Down
drop table tablewright.cancel_request;

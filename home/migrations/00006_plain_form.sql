-- The form in which values of rows travel to external systems, whatever the settings of the session are.
-- format() writes a value as its type's output function does, which a cast to text does not for all types.

-- +goose Up
-- +goose StatementBegin
create function tablewright.plain_form(value anyelement) returns text
language plpgsql stable strict
set search_path = pg_catalog, pg_temp set datestyle = 'ISO, MDY' set intervalstyle = 'postgres'
set bytea_output = 'hex' set extra_float_digits = '1' as $$
begin
  return format('%s', value);
end $$;
-- +goose StatementEnd

-- +goose Down
drop function tablewright.plain_form(anyelement);

listen ch;
\! psql -X -q -c "notify ch, 'from another client'"
select 1;
begin;
\! psql -X -q -c "notify ch, 'while in a block'"
select 2;
commit;
\! psql -X -q -c "begin; notify ch, 'rolled back'; rollback"
select 3;
\! for i in 1 2 3; do psql -X -q -c "notify ch, 'n$i'"; done
select 4;

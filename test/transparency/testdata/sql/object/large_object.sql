select lo_create(424242);
select lo_from_bytea(424243, '\x68656c6c6f');
select lo_get(424243), lo_get(424243, 1, 2);
select lo_put(424243, 5, ' world');
select convert_from(lo_get(424243), 'utf8');
begin;
select lo_open(424243, 131072 | 262144);
select loread(0, 5);
select lo_lseek(0, 0, 0), lo_tell(0), lowrite(0, 'HELLO'), lo_truncate(0, 8), lo_close(0);
commit;
select encode(lo_get(424243), 'escape');
comment on large object 424242 is 'lob';
alter large object 424242 owner to current_user;
alter large object 1 owner to current_user;
grant select on large object 424242 to public;
\lo_list
select lo_unlink(424243);
select lo_get(424243);
select lo_open(1, 131072);

create table t (a int);
security label on table t is 'classified';
security label for selinux on table t is 'x';
security label on column t.a is null;
security label for nope on role writer is 'x';
select count(*) from pg_seclabels;

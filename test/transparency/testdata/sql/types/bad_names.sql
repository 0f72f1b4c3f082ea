select 'nope'::regclass;
select 'nope'::regtype;
select to_regclass('nope'), 99999::regclass, '-'::regclass;
select 'lower'::regproc;

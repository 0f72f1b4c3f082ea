select inet '192.168.1.5/24', cidr '10.0.0.0/8', inet '::1', macaddr '08:00:2b:01:02:03', macaddr8 '08:00:2b:ff:fe:01:02:03', host('10.1.2.3/8'), network('10.1.2.3/8'), masklen('10.0.0.0/8'), inet '10.0.0.1' << cidr '10/8', inet '10.0.0.1' + 5;
select cidr '10.0.0.1/8'; select inet '300.0.0.1'; select macaddr 'zz';
select 'A0EEBC99-9C0B-4EF8-BB6D-6BB9BD380A11'::uuid, '{a0eebc999c0b4ef8bb6d6bb9bd380a11}'::uuid; select 'nope'::uuid; select length(gen_random_uuid()::text);
select b'101', x'1F', b'101' & b'110', b'1' || b'0', b'101'::int, 5::bit(4), '101'::bit(2), '1012'::varbit, b'101' << 1, bit_count(b'1011'); select b'1' & b'11'; select b'12'; select 'x'::bit;
select point(1, 2), '(0,0),(1,1)'::box, '<(0,0),2>'::circle, '[(0,0),(1,1)]'::lseg, '((0,0),(1,1),(1,0))'::polygon, '{1,2,3}'::line, '[(0,0),(1,1)]'::path, point(0, 0) <-> point(3, 4), area(circle '<(0,0),1>'), box '(0,0),(2,2)' @> point(1, 1); select 'x'::point;
select '16/B374D848'::pg_lsn - '16/B374D840'::pg_lsn, '1'::xid, '5:6:5'::pg_snapshot, '(0,1)'::tid, 'pg_class'::regclass, 'int4'::regtype, 'now'::regproc, 'lower(text)'::regprocedure, '+(int4,int4)'::regoperator, 'writer'::regrole, 'public'::regnamespace, 'english'::regconfig, 'C'::regcollation;
select 'nope'::regclass; select 'nope'::regtype; select to_regclass('nope'), 99999::regclass, '-'::regclass; select 'lower'::regproc;

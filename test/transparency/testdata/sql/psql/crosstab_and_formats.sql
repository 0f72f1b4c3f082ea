create table t (r text, c text, v int);
insert into t values ('a', 'x', 1), ('a', 'y', 2), ('b', 'x', 3);
select r, c, v from t order by 1, 2 \crosstabview
select r, c, v from t order by 1, 2 \crosstabview c r v
select * from t \crosstabview r r
\x
select * from t order by 1, 2;
\x auto
select * from t limit 1;
\x off
\pset format csv
select * from t order by 1, 2;
\pset format html
select '<&>' as "h<d", null;
\pset format asciidoc
select * from t limit 1;
\pset format latex
select 'a_b%' as x;
\pset format latex-longtable
select 1;
\pset format troff-ms
select 1;
\pset format wrapped
\pset columns 30
select repeat('wrap ', 20) as w;
\pset format unaligned
\pset fieldsep '|'
\pset null '(null)'
select 1, null;
\pset format aligned
\pset border 2
\pset linestyle unicode
select 1 as one, E'two\nlines' as two, 'ünï' as three;
\pset border 0
\pset linestyle old-ascii
select 1 as one, E'two\nlines' as two;
\pset title 'a title'
\pset footer off
\pset numericlocale on
select 1234567.891;
\pset tuples_only on
select 1;
\pset format nope

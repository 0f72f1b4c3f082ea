select '日本語' as 漢字, 'é' as "e\u0301", E'e\u0301' as combined, '😀' as emoji, E'\t|' as tab, E'\x01' as control, E'a\r\nb' as crlf;
select 'wide 全角' as x union all select 'narrow';
create table "表" ("列" int);
insert into "表" values (1);
select "列" from "表";
select "欄" from "表";
\d "表"
\dt 表
do $$ begin raise exception '例外 %', 'ü' using detail = 'détail', hint = '힌트'; end $$;

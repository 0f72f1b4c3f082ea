\x
prepare home as select :literals;
execute home;
execute home;
select * from :typed where id = 7;
select * from :typed \gdesc
select count(*) from :typed where id = 7 \gset
\echo :count

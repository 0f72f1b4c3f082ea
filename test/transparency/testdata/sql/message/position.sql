--: message
create table ü (n int); insert into ü values (1);
select 'ünï', nope from ü;

\echo :ENCODING :SERVER_VERSION_NUM :SERVER_VERSION_NAME
set client_encoding = latin1;
\echo :ENCODING
\encoding
\encoding utf8
\encoding
\encoding nope
set client_encoding = 'nope';
begin;
set client_encoding = sql_ascii;
rollback;
\encoding
set standard_conforming_strings = off; select 'a\\b', '\x41'; select E'a\\b'; reset standard_conforming_strings; set escape_string_warning = off; set standard_conforming_strings = off; select 'a\tb'; set backslash_quote = off; select 'a\'b'; reset all;
select 'a\\b';
set application_name = 'my app';
show application_name;
set application_name = 'ünï';
show application_name;
set datestyle = 'nope';
set datestyle = 'iso, dmy';
show datestyle;
set timezone to 'Europe/Paris';
show timezone;
set integer_datetimes = off;
set intervalstyle = 'nope';
show integer_datetimes;
show server_encoding;
show in_hot_standby;

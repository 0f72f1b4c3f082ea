\encoding SQL_ASCII
select 'é';
\encoding EUC_JP
select chr(12354);
select convert_from('\xa4a2', 'euc_jp');
\encoding SJIS
select chr(12354);
\encoding WIN1252
select chr(8364);
select chr(12354);
\encoding MULE_INTERNAL
select 1;
\encoding UTF8
select U&'\3042';
set client_encoding to 'UNICODE';
show client_encoding;
set names 'latin9';
show client_encoding;
select chr(8364);

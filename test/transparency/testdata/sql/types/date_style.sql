set datestyle = 'German, DMY';
select date '2024-12-31', '31/12/2024'::date, timestamptz '2024-01-01 00:00Z';
set datestyle = 'SQL, MDY';
select date '2024-12-31', '31/12/2024'::date;
set datestyle = 'Postgres';
select timestamp '2024-12-31 01:02';
reset datestyle;

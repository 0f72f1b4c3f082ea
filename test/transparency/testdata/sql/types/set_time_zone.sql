set timezone = 'Asia/Kolkata';
select timestamptz '2024-01-01 00:00Z';
show timezone;
set time zone interval '-03:30' hour to minute;
select timestamptz '2024-01-01 00:00Z';
set time zone local;
set timezone = 'Nope';

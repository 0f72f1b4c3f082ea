create table booking (room int4range, during tsrange, exclude using gist (room with &&, during with &&));
insert into booking values ('[1,2)', '[2024-01-01, 2024-01-03)');
insert into booking values ('[1,2)', '[2024-01-02, 2024-01-04)');
insert into booking values ('[2,3)', '[2024-01-02, 2024-01-04)');
\d booking
select * from booking order by room;

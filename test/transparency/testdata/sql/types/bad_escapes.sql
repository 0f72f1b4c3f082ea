select E'\u0000';
select E'bad \xzz';
select E'\xff';
select E'\ud800';

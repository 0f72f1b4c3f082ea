select table_to_xml('pg_am'::regclass, true, false, '') is not null;
select xmlagg(x) from (values ('<a/>'::xml), ('<b/>')) v(x);
set xmloption = document;
select xml 'x';
reset xmloption;

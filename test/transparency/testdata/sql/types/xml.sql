select xml '<a>x</a>', xmlparse(document '<a/>'), xmlelement(name foo, xmlattributes(1 as id), 'txt'), xmlforest(1 as a, 'b' as b), xmlconcat('<a/>', '<b/>'), xmlpi(name php, 'x'), xmlcomment('c'), xmlroot('<a/>', version '1.0', standalone yes), xmlserialize(content '<a/>' as text);
select xml '<a>'; select xmlparse(document 'text'); select xpath('/a/b/text()', '<a><b>1</b><b>2</b></a>'), xpath_exists('//b', '<a/>'), xml_is_well_formed('<a>'), xmlexists('//a' passing '<a/>');
select * from xmltable('/r/i' passing '<r><i n="1">x</i><i n="2">y</i></r>' columns n int path '@n', v text path '.');
select table_to_xml('pg_am'::regclass, true, false, '') is not null; select xmlagg(x) from (values ('<a/>'::xml), ('<b/>')) v(x); set xmloption = document; select xml 'x'; reset xmloption;

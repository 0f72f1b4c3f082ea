select xml '<a>';
select xmlparse(document 'text');
select xpath('/a/b/text()', '<a><b>1</b><b>2</b></a>'), xpath_exists('//b', '<a/>'), xml_is_well_formed('<a>'), xmlexists('//a' passing '<a/>');

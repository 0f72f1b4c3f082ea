select convert_from('\xc3bc', 'utf8'), convert_to('ü', 'latin1'), convert('\xfc', 'latin1', 'utf8');
select convert_from('\xff', 'utf8');
select convert_from('\x00', 'utf8');
select convert_to('€', 'latin1');
select md5('\x00'::bytea), sha512('\x'::bytea) = sha512(''), bit_count('\xff'::bytea);

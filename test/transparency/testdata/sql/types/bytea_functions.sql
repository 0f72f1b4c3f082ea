select length('\x0001'::bytea), get_byte('\x0102', 1), set_byte('\x0102', 0, 255), substring('\x010203'::bytea from 2), '\x01'::bytea || '\x02'::bytea, position('\x02'::bytea in '\x0102'::bytea);
select get_byte('\x01', 5);

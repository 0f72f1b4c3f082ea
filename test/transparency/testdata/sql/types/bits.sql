select b'101', x'1F', b'101' & b'110', b'1' || b'0', b'101'::int, 5::bit(4), '101'::bit(2), '1012'::varbit, b'101' << 1, bit_count(b'1011');
select b'1' & b'11';
select b'12';
select 'x'::bit;

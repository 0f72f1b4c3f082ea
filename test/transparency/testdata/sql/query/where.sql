select * from (values (1, 'x'), (2, 'y')) v(a, b) where b in ('x', 'z') or a between 5 and 6;

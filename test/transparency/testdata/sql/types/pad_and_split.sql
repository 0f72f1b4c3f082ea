select lpad('a', 3, '-'), rpad('a', 3), split_part('a,b,c', ',', 2), split_part('a,b,c', ',', -1), translate('abc', 'ab', 'x'), replace('aXbX', 'X', '-');

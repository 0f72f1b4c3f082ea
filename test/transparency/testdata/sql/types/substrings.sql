select substring('abcdef' from 2 for 3), substring('abc' from '.$'), position('c' in 'abc'), overlay('abcdef' placing 'X' from 2 for 3), trim(both 'x' from 'xxaxx');

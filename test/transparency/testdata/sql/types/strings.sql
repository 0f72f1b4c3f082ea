select 'a' || 'b', 'it''s', E'tab\there\nnl \\ \x41 \u00fc \U0001F600', $$dollar $ quoted$$, $a$with $$ in$a$, 'two '
 'lines';
select 'abc'::char(5) || '|', 'abc'::varchar(2), 'x'::"char", 'abcdef'::name;
select length('ünï'), octet_length('ünï'), char_length('abc  '::char(5)), bit_length('a');
select upper('ß'), lower('ÄÖ'), initcap('hello wORLD'), reverse('abc'), repeat('ab', 3), left('abc', -1), right('abc', 2);
select substring('abcdef' from 2 for 3), substring('abc' from '.$'), position('c' in 'abc'), overlay('abcdef' placing 'X' from 2 for 3), trim(both 'x' from 'xxaxx');
select lpad('a', 3, '-'), rpad('a', 3), split_part('a,b,c', ',', 2), split_part('a,b,c', ',', -1), translate('abc', 'ab', 'x'), replace('aXbX', 'X', '-');
select 'abc' like 'a%', 'abc' ilike 'A_C', 'abc' ~ '^a.c$', 'abc' similar to 'a(b|c)c', 'a%' like 'a\%', 'x' like 'x\';
select regexp_replace('foobar', 'o+', '0'), regexp_matches('a1b2', '[a-z]\d', 'g'), regexp_split_to_array('a b  c', '\s+'), regexp_count('aaa', 'a'), regexp_substr('abc', 'b.');
select 'a' ~ '(';
select format('%s %I %L %% %2$s', 'a', 'B c', null), quote_ident('a b'), quote_literal('it''s'), quote_nullable(null);
select md5('x'), sha256('x'), encode('abc', 'base64'), decode('YWJj', 'base64'), encode('\x00ff', 'hex'), encode('a', 'nope');
select ascii('ä'), chr(228), chr(0);
select E'\u0000'; select E'bad \xzz'; select E'\xff'; select E'\ud800';
select 'a' < 'B', 'a' collate "C" < 'B' collate "C", 'a' collate "nope";
select 'unterminated;
';
select starts_with('abc', 'ab'), 'abc' ^@ 'b', string_to_array('a,b,,c', ',', ''), array_to_string(array[1, null, 3], ',', '*'), concat('a', null, 1), concat_ws('-', 'a', null, 'b');

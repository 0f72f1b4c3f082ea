select regexp_replace('foobar', 'o+', '0'), regexp_matches('a1b2', '[a-z]\d', 'g'), regexp_split_to_array('a b  c', '\s+'), regexp_count('aaa', 'a'), regexp_substr('abc', 'b.');
select 'a' ~ '(';

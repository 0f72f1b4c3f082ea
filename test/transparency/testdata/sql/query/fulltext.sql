select to_tsvector('english', 'The quick brown foxes jumped'), to_tsquery('english', 'fox & !cat | jump:*'), plainto_tsquery('fat cats'), phraseto_tsquery('fat cats'), websearch_to_tsquery('"big cat" -dog or fish');
select to_tsvector('a fat cat') @@ 'cat'::tsquery, ts_rank(to_tsvector('cat cat dog'), 'cat'), ts_headline('english', 'the cat sat', to_tsquery('cat')), 'a:1A b:2'::tsvector || 'c:1', setweight('a:1'::tsvector, 'B'), strip('a:1'::tsvector), tsvector_to_array('a b'), numnode('a & b'::tsquery), querytree('!a'), 'a & b'::tsquery && 'c'::tsquery, ts_delete('a b', 'a');
select to_tsquery('a &');
select 'a b'::tsquery;
select to_tsvector('nope', 'x');
select ''::tsquery, to_tsquery('the');
select * from ts_debug('english', 'Hello 42 world') limit 3;
select ts_lexize('english_stem', 'stars');
select * from ts_stat('select ''a b a''::tsvector');
create text search configuration conf (copy = simple);
alter text search configuration conf alter mapping for asciiword with english_stem;
alter text search configuration conf drop mapping for email;
alter text search configuration conf drop mapping if exists for email;
alter text search configuration conf drop mapping for nope;
select to_tsvector('conf', 'running runs me@x.y');
alter text search configuration conf rename to conf2;
alter text search configuration conf2 owner to current_user;
alter text search configuration conf2 set schema public;
create text search dictionary d (template = simple, stopwords = english);
alter text search dictionary d (accept = false);
alter text search dictionary d rename to d2;
select ts_lexize('d2', 'the'), ts_lexize('d2', 'Word');
create text search dictionary bad (template = nope);
create text search dictionary bad (nope = 1);
alter text search dictionary d2 (nope = 1);
create text search parser p (start = prsd_start);
create text search template tm (lexize = dsimple_lexize);
alter text search parser "default" rename to x;
alter text search template simple rename to x;
drop text search parser nope;
drop text search template nope;
drop text search parser if exists nope;
drop text search template if exists nope;
\dF conf2
\dFd d2
\dFp
\dFt simple
comment on text search configuration public.conf2 is 'mine';
drop text search configuration public.conf2;
drop text search dictionary d2;
drop text search dictionary d2;

select 'a' || 'b', 'it''s', E'tab\there\nnl \\ \x41 \u00fc \U0001F600', $$dollar $ quoted$$, $a$with $$ in$a$, 'two '
 'lines';

select format('%s %I %L %% %2$s', 'a', 'B c', null), quote_ident('a b'), quote_literal('it''s'), quote_nullable(null);

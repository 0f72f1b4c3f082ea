select length('ünï'), octet_length('ünï'), char_length('abc  '::char(5)), bit_length('a');

select to_char(1234.5, '9,999.99'), to_char(-5, 'S99'), to_number('1,234', '9,999'), to_char(485, 'RN'), to_hex(255);

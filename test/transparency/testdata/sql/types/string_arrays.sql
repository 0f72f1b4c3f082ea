select starts_with('abc', 'ab'), 'abc' ^@ 'b', string_to_array('a,b,,c', ',', ''), array_to_string(array[1, null, 3], ',', '*'), concat('a', null, 1), concat_ws('-', 'a', null, 'b');

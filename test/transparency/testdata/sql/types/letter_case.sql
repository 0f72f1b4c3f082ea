select upper('ß'), lower('ÄÖ'), initcap('hello wORLD'), reverse('abc'), repeat('ab', 3), left('abc', -1), right('abc', 2);

select md5('x'), sha256('x'), encode('abc', 'base64'), decode('YWJj', 'base64'), encode('\x00ff', 'hex'), encode('a', 'nope');

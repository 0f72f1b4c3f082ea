select 'unterminated;
';

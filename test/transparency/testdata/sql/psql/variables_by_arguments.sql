--: args -v who=me -v n=3 -P null=NIL
select :'who', :n * 2, null;

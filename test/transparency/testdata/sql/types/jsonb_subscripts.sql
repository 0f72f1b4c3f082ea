create table d (doc jsonb);
insert into d values ('{"a": {"b": [10, 20]}}');
update d set doc['a']['b'][1] = '99', doc['new'] = '"k"';
select doc, doc['a']['b'][1], doc['nope'] from d;

select cidr '10.0.0.1/8';
select inet '300.0.0.1';
select macaddr 'zz';

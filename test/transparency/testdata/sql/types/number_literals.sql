select 0x1F;
select 1_000;
select 1a;
select .5, 5., 1e3;

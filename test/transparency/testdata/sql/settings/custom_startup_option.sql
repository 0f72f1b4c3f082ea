--: env PGOPTIONS=-c my.setting=hello\ world -c my.other=x
show my.setting;
select current_setting('my.other');
reset my.setting;
show my.setting;

create table "Mixed Case" ("Column One" int, "select" text, "ünï" int, "quote""d" int);
insert into "Mixed Case" values (1, 'a', 2, 3);
select * from "Mixed Case";
select "Column One", "select", "ünï", "quote""d" from "Mixed Case";
select column from "Mixed Case";
select * from Mixed Case;
select * from mixed_case;
\d "Mixed Case"
create table a_name_that_is_much_longer_than_the_sixty_three_bytes_which_postgresql_keeps_of_it (a int);
\d a_name_that_is_much*
create table ÜMLAUT (Ä int);
\dt ü*
\dt "Ü"*
create table U&"d\0061t\+000061" (x int);
select * from data;
select U&'d\0061t\+000061', U&'d!0061' uescape '!', U&'bad\00';

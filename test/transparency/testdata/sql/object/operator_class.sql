create operator family fam using btree;
create operator class oc for type int4 using btree family fam as operator 1 <, operator 2 <=, operator 3 =, operator 4 >=, operator 5 >, function 1 btint4cmp(int4, int4);
alter operator family fam using btree add operator 1 < (int4, int8);
alter operator family fam using btree drop operator 1 (int4, int8);
alter operator family fam using btree rename to fam2;
alter operator class oc using btree rename to oc2;
alter operator class oc2 using btree owner to current_user;
alter operator family fam2 using btree set schema public;
drop operator class oc2 using btree;
drop operator class if exists oc2 using btree;
drop operator family fam2 using btree;
drop operator family if exists fam2 using btree;
drop operator family fam2 using nope;
\dAc btree int4
\dAf btree int*
\dAo btree integer_ops
\dAp btree integer_ops

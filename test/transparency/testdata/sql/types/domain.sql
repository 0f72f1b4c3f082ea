create domain posint as int check (value > 0);
create domain email as text collate "C" default 'a@b' not null constraint has_at check (value ~ '@');
create table t (n posint, e email);
insert into t values (1);
insert into t values (0);
insert into t values (1, 'nope');
insert into t values (1, null);
select 5::posint, (-5)::posint;
alter domain posint add constraint small check (value < 100);
insert into t values (500);
alter domain posint drop constraint small;
alter domain posint drop constraint small;
alter domain posint drop constraint if exists small;
alter domain email set default 'x@y';
alter domain email drop not null;
alter domain email rename constraint has_at to at;
alter domain email rename to mail;
alter domain posint add constraint big check (value > 1000) not valid;
alter domain posint validate constraint big;
alter domain posint owner to current_user;
alter domain mail set schema public;
alter domain nope drop default;
\dD
\dD+ public.mail
drop domain posint;
drop domain posint, public.mail cascade;
drop domain if exists posint;

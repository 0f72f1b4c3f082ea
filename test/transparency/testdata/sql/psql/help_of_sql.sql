\h select
\h create table as
\h nope
\h

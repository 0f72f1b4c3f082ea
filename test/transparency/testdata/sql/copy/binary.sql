create table t (a int, b text, c timestamptz, d numeric, e bytea);
insert into t values (1, 'x', '2024-01-01 00:00:00+00', 1.5, '\xdeadbeef'), (null, null, null, null, null);
\copy t to 'b.bin' (format binary)
\! md5sum b.bin
create table u (like t);
\copy u from 'b.bin' with (format binary)
select * from u;
\! printf 'nonsense' > bad.bin
\copy u from 'bad.bin' with (format binary)
\! head -c 30 b.bin > cut.bin
\copy u from 'cut.bin' with (format binary)
select count(*) from u;

package faults

// kind is one kind of statement, or block, and what is there before.
type kind struct {
	name       string
	before     []string
	statements []string
	// again is sent after a success that told with a WARNING what it could not do.
	again string
}

const (
	parent = "create table {a}.s.p (id bigint primary key, v text)"
	table  = "create table {a}.s.t (id bigint primary key, v text not null default 'x', n int)"
	other  = "create table {b}.s.t (id bigint primary key, v text)"
	iced   = "create table {l}.s.t (id bigint not null, v text)"
)

// kinds are all kinds of statement that have work outside, or none although one might think so.
var kinds = []kind{
	{"CREATE SCHEMA", nil, []string{"create schema {a}.s2"}, ""},
	{"CREATE TABLE", nil, []string{"create table {a}.s.t (id bigint primary key, v text not null default 'x', check (id > 0))"}, ""},
	{"CREATE TABLE with a key to another", []string{parent}, []string{"create table {a}.s.t (id bigint primary key, p bigint references {a}.s.p)"}, ""},
	{"CREATE TABLE LIKE", []string{parent}, []string{"create table {a}.s.t (like {a}.s.p including all)"}, ""},
	{"CREATE TABLE IF NOT EXISTS", nil, []string{"create table if not exists {a}.s.t (id bigint)"}, ""},
	{"CREATE TABLE IF NOT EXISTS, there", []string{table}, []string{"create table if not exists {a}.s.t (id bigint)"}, ""},
	{"CREATE OR REPLACE TABLE, absent", nil, []string{"create or replace table {a}.s.t (id bigint primary key)"}, ""},
	{"CREATE OR REPLACE TABLE", []string{table}, []string{"create or replace table {a}.s.t (id bigint primary key, v text not null default 'y', n bigint, more date)"}, ""},
	{"CREATE OR REPLACE TABLE, destructive", []string{table}, []string{
		"create or replace table {a}.s.t (id bigint primary key, v text not null default 'y', more date) with (allow_destructive = true)",
	}, ""},
	{"ALTER TABLE ADD COLUMN", []string{table}, []string{"alter table {a}.s.t add column c int default 7, add constraint positive check (n > 0)"}, ""},
	{"ALTER TABLE DROP COLUMN", []string{table}, []string{"alter table {a}.s.t drop column n"}, ""},
	{"ALTER TABLE ADD and DROP COLUMN", []string{table}, []string{"alter table {a}.s.t add column c int, drop column n"}, ""},
	{"ALTER TABLE RENAME COLUMN", []string{table}, []string{"alter table {a}.s.t rename column n to m"}, ""},
	{"ALTER TABLE TYPE", []string{table}, []string{"alter table {a}.s.t alter column n type bigint"}, ""},
	{"ALTER TABLE TYPE, narrower", []string{table}, []string{"alter table {a}.s.t alter column n type smallint"}, ""},
	{"ALTER TABLE SET", []string{table}, []string{"alter table {a}.s.t alter column n set not null, alter column n set default 3, set (fillfactor = 80)"}, ""},
	{"ALTER TABLE RENAME TO", []string{table}, []string{"alter table {a}.s.t rename to u"}, ""},
	{"COMMENT ON TABLE", []string{table}, []string{"comment on table {a}.s.t is 'the first'"}, ""},
	{"COMMENT ON COLUMN", []string{table}, []string{"comment on column {a}.s.t.v is 'a text'"}, ""},
	{"CREATE VIEW over managed", []string{table}, []string{"create view {w}v as select id from {a}.s.t"}, ""},
	{"DROP TABLE", []string{table}, []string{"drop table {a}.s.t"}, ""},
	{"DROP TABLE of both systems", []string{table, other}, []string{"drop table {a}.s.t, {b}.s.t"}, ""},
	{"DROP TABLE CASCADE", []string{table, "create view {w}v as select id from {a}.s.t"}, []string{"drop table {a}.s.t cascade"}, ""},
	{"DROP SCHEMA", []string{"create schema {a}.s2"}, []string{"drop schema {a}.s2"}, ""},
	{"DROP SCHEMA CASCADE", []string{table, parent, "create table {a}.s.q (id bigint references {a}.s.p)"}, []string{
		"drop schema {a}.s cascade with (allow_destructive = true)",
	}, ""},
	{"CREATE CATALOG", []string{table, "drop catalog {j} cascade"}, []string{`create catalog {j} with (type = 'postgres', host = '127.0.0.1', port = {port},
		user = 'postgres', password = 'env:TABLEWRIGHT_SECRET_EXT', database = '{w}', sslmode = 'disable')`}, "refresh catalog {j}"},
	{"ALTER CATALOG", []string{table}, []string{"alter catalog {a} set (deadline = '7s', default_schema = 's')"}, ""},
	{"REFRESH CATALOG", []string{table, "outside: create table s.found (id int)"}, []string{"refresh catalog {a}"}, "refresh catalog {a}"},
	{"DROP CATALOG CASCADE", []string{table}, []string{"drop catalog {a} cascade"}, ""},
	{"INSERT", []string{table}, []string{"insert into {a}.s.t values (1, 'one', 1), (2, 'two', 2)"}, ""},
	{"a block over both systems", []string{"create table {w}h (v int)"}, []string{
		"begin", table, other, "create view {w}v as select id from {a}.s.t", "insert into {w}h values (1)", "commit",
	}, ""},
	{"a block that creates, alters and drops", []string{table, other, "create table {w}h (v int)"}, []string{
		"begin", "create table {a}.s.u (id bigint primary key)", "alter table {b}.s.t add column c int",
		"alter table {w}h add column w int", "drop table {a}.s.t", "commit",
	}, ""},
	{"a block with a schema of its own", []string{other}, []string{
		"begin", "create schema {a}.s2", "create table {a}.s2.p (id bigint primary key)",
		"create table {a}.s2.q (id bigint references {a}.s2.p)", "alter table {b}.s.t rename to u", "comment on table {b}.s.u is 'of b'", "commit",
	}, ""},
	{"a block that changes one table twice", []string{table}, []string{
		"begin", "alter table {a}.s.t add column c int", "alter table {a}.s.t rename column c to d", "alter table {a}.s.t alter column d type bigint", "commit",
	}, ""},
	{"a block of PostgreSQL and Iceberg", []string{table, iced}, []string{
		"begin", "create table {l}.s.u (id bigint)", "alter table {l}.s.t add column c int", "create table {b}.s.t (id bigint)",
		"alter table {a}.s.t add column c int", "drop table {a}.s.t", "create table {w}h (v int)", "commit",
	}, ""},
	{"several statements in one message", nil, []string{table + "; " + other + "; create table {w}h (v int)"}, ""},
	{"CREATE TABLE by a job", nil, []string{"create table {j}.s.t (id bigint primary key, v text)"}, ""},
	{"ALTER TABLE by a job", []string{"create table {j}.s.t (id bigint primary key, v text)"}, []string{"alter table {j}.s.t add column c int"}, ""},
	{"DROP TABLE by a job", []string{"create table {j}.s.t (id bigint primary key, v text)"}, []string{"drop table {j}.s.t"}, ""},
	{"a block with a job", nil, []string{"begin", other, "create table {j}.s.t (id bigint primary key)", "create table {w}h (v int)", "commit"}, ""},
}

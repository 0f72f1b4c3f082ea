"""SQLAlchemy 2 with psycopg or psycopg2: tables of Core, reflection, errors, pool."""

import sys

import sqlalchemy as sa
from sqlalchemy import exc, pool as sapool
from sqlalchemy.dialects import postgresql as pg

from common import *

DRIVER = sys.argv[1]
HOME = f"home_{CLIENT}"


def engine(**kwargs):
    return sa.create_engine(URL.replace("postgres://", f"postgresql+{DRIVER}://"), **kwargs)


def code(e):
    return e.orig.sqlstate if DRIVER == "psycopg" else e.orig.pgcode


def ways_in(eng):
    with eng.connect() as c:
        raw = c.connection.driver_connection
        encrypted = raw.pgconn.ssl_in_use if DRIVER == "psycopg" else raw.info.ssl_in_use
        say("connect", f"{c.scalar(sa.text('SELECT session_user'))}, encrypted {bool(encrypted)}")
    try:
        engine(connect_args={"password": "wrong"}).connect()
    except exc.OperationalError as e:
        say("connect", str(e.orig).rsplit("FATAL:")[-1].strip())


def tables():
    meta = sa.MetaData()
    item = sa.Table(
        "item", meta,
        sa.Column("id", sa.BigInteger, primary_key=True, autoincrement=False),
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("price", sa.Numeric(10, 2), server_default=sa.text("0")),
        sa.Column("at", sa.DateTime(timezone=True)),
        schema=f"pg.{CLIENT}",
    )
    sa.Table(
        "part", meta,
        sa.Column("item", sa.ForeignKey(item.c.id), primary_key=True),
        sa.Column("n", sa.SmallInteger, sa.CheckConstraint("n > 0"), primary_key=True),
        sa.Column("tags", pg.ARRAY(sa.Text), unique=True),
        schema=f"pg.{CLIENT}",
    )
    home = sa.Table(
        "doc", meta,
        sa.Column("id", sa.Integer, primary_key=True), sa.Column("doc", pg.JSONB), schema=HOME,
    )
    return meta, item, home


def ddl(eng):
    meta, item, home = tables()
    meta.create_all(eng)
    say("ddl", "made in one transaction")
    meta.create_all(eng)
    say("ddl", "made again: nothing to do")
    with eng.connect().execution_options(isolation_level="AUTOCOMMIT") as c:
        c.execute(sa.insert(item), {"id": 1, "name": "one"})
        c.execute(sa.insert(item).values([{"id": 2, "name": "ß"}]))
        say("ddl", [tuple(r) for r in c.execute(sa.select(item).order_by(item.c.id))])
    return meta, item, home


def described(schema, meta):
    for table in sorted(meta.tables.values(), key=lambda t: t.name):
        if table.schema == schema:
            for c in table.columns:
                say("ddl", f"reflected {table.name}.{c.name} {c.type} nullable {c.nullable} key {c.primary_key} "
                    f"default {c.server_default.arg.text if c.server_default is not None else None}")
            # Foreign keys of managed tables are their system's; home does not have them.
            same("foreign keys", len(table.foreign_keys), int(table.name == "part" and not GATEWAY))


def reflect(eng):
    for schema in (f"pg.{CLIENT}", HOME):
        meta = sa.MetaData()
        meta.reflect(eng, schema=schema)
        described(schema, meta)
    look = sa.inspect(eng)
    say("ddl", f"has_table {look.has_table('item', schema=f'pg.{CLIENT}')} {look.has_table('none', schema=f'pg.{CLIENT}')}")
    say("ddl", f"in schemas {f'pg.{CLIENT}' in look.get_schema_names()}")


def types(c, eng):
    c.exec_driver_sql(f"CREATE TABLE {TYPED} ({DEFINITION})")
    c.exec_driver_sql(f"INSERT INTO {TYPED} VALUES ({VALUES})".replace("%", "%%"))
    typed = sa.Table("typed", sa.MetaData(), schema=f"pg.{CLIENT}", autoload_with=eng)
    say("types", [str(col.type) for col in typed.columns])
    row = c.execute(sa.select(typed).where(typed.c.id == 7)).one()
    same("home", tuple(map(plain, c.exec_driver_sql(f"SELECT {LITERALS}".replace("%", "%%")).one())), tuple(map(plain, row)))
    for name, value in zip(row._fields, row):
        say("types", f"{name} {plain(value)!r}")
    c.execute(sa.insert(typed).values(**{**row._mapping, "id": 8}))
    same("inserted", tuple(map(plain, c.execute(sa.select(typed).where(typed.c.id == 8)).one()))[1:], tuple(map(plain, row))[1:])


def plain(value):
    return bytes(value) if isinstance(value, memoryview) else value


def errors(c):
    for sql in MISTAKES:
        try:
            c.exec_driver_sql(sql)
            check(False, f"no error of {sql}")
        except exc.DBAPIError as e:
            say("error", f"{type(e).__name__} {code(e)} at {e.orig.diag.statement_position}, invalidated {e.connection_invalidated}")
    same("usable after errors", c.scalar(sa.text("SELECT 1")), 1)


def when_told(c, sql, told):
    """psycopg calls back for each notice; with psycopg2 only a wait callback of the process could look for them."""
    seen = []

    def handler(diag):
        seen.append(f"{diag.severity} {diag.message_primary}")
        if len(seen) == 1:
            told()

    raw = c.connection.driver_connection
    raw.add_notice_handler(handler)
    try:
        c.exec_driver_sql(sql)
    finally:
        raw.remove_notice_handler(handler)
    return seen


def notices(c, eng):
    with eng.connect() as other:
        other.exec_driver_sql(f"SELECT pg_advisory_lock({LOCK_KEY})")
        say("notice", when_told(c, NOTICE_AND_LOCK, lambda: other.exec_driver_sql(f"SELECT pg_advisory_unlock({LOCK_KEY})")))


def slow_table(c, told):
    locks = sa.create_engine(LOCK_URL.replace("postgres://", f"postgresql+{DRIVER}://"))
    with locks.connect() as holder:
        holder.exec_driver_sql(LOCK_PARENT)
        try:
            return when_told(c, CHILD, lambda: told(holder))
        finally:
            holder.rollback()
            locks.dispose()


def slow(c):
    c.exec_driver_sql(f"CREATE TABLE {PARENT} (id int PRIMARY KEY)")
    c.exec_driver_sql(TELL_ALL)
    seen = slow_table(c, lambda holder: holder.rollback())
    check("started for CREATE TABLE" in seen[0], seen)
    say("gateway notice", "started, then the end")
    c.exec_driver_sql(f'DROP TABLE "slow.{CLIENT}".child')
    c.exec_driver_sql(PATIENT)
    try:
        slow_table(c, lambda _: stop_running(c))
    except exc.DBAPIError as e:
        say("gateway cancel", f"{code(e)} {e.orig.diag.message_primary}, invalidated {e.connection_invalidated}")
    stop.wait()
    same("usable after a cancel", c.scalar(sa.text("SELECT 1")), 1)


stop = Stop()


def stop_running(c):
    stop.send(c.connection.driver_connection.cancel)


def stop_sleeper(sleeping):
    """Cancels once the server shows that the statement runs: psycopg2 shows no notice meanwhile."""
    eng = engine()
    with eng.connect().execution_options(isolation_level="AUTOCOMMIT") as c:
        while not c.scalar(sa.text("SELECT count(*) FROM pg_stat_activity WHERE query = 'SELECT pg_sleep(600)' AND usename = session_user")):
            pass
    eng.dispose()
    sleeping.cancel()


def cancel(c):
    c.exec_driver_sql(PATIENT)
    try:
        if DRIVER == "psycopg":
            when_told(c, NOTICE_AND_SLEEP, lambda: stop_running(c))
        else:
            stop.send(stop_sleeper, c.connection.driver_connection)
            c.exec_driver_sql("SELECT pg_sleep(600)")
    except exc.DBAPIError as e:
        say("cancel", f"{type(e).__name__} {code(e)} {e.orig.diag.message_primary}, invalidated {e.connection_invalidated}")
    stop.wait()
    same("usable after a cancel", c.scalar(sa.text("SELECT 1")), 1)


def pool(item):
    eng = engine(poolclass=sapool.QueuePool, pool_size=POOL, max_overflow=0)

    def work(arrive):
        with eng.connect() as c:
            arrive()
            return int(c.scalar(sa.select(sa.func.sum(item.c.id)).where(item.c.id <= 2))) + 1

    sums = together(work) + together(work)  # the second time with the connections of the first
    say("pool", f"{eng.pool.checkedin()} connections, {len(sums)} sums, {sum(sums)}")
    eng.dispose()


def fetch(eng):
    with eng.connect() as c:
        result = c.execution_options(stream_results=True, max_row_buffer=100).exec_driver_sql(f"SELECT i FROM generate_series(1, {ROWS}) i")
        ids = [row[0] for row in result]
        say("fetch", f"by a cursor {len(ids)}, {sum(ids)}")
    if GATEWAY:
        try:
            with eng.connect() as c:
                c.execution_options(stream_results=True).exec_driver_sql(f"SELECT * FROM {BIG}")
        except exc.DBAPIError as e:
            say("gateway fetch", f"by a cursor {code(e)}")
    with eng.connect() as c:
        ids = [row[0] for part in c.exec_driver_sql(f"SELECT * FROM {BIG}").partitions(100) for row in part]
        say("fetch", f"in partitions {len(ids)}, {sum(ids)}")


eng = engine()
ways_in(eng)
meta, item, home = ddl(eng)
reflect(eng)
with eng.connect().execution_options(isolation_level="AUTOCOMMIT") as c:
    c.exec_driver_sql(IMPATIENT)
    types(c, eng)
    errors(c)
    if DRIVER == "psycopg":
        notices(c, eng)
        if GATEWAY:
            slow(c)
    cancel(c)
fetch(eng)
pool(item)
meta.drop_all(eng)
say("ddl", f"dropped, left {sa.inspect(eng).get_table_names(schema=f'pg.{CLIENT}')}")
eng.dispose()

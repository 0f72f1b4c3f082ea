"""psycopg 3."""


import psycopg
from psycopg.types.json import Json, Jsonb
from psycopg_pool import ConnectionPool

from common import *


def connect(**kwargs):
    return psycopg.connect(URL, autocommit=True, **kwargs)


def ways_in():
    with connect() as c:
        pg = c.pgconn
        who = c.execute("SELECT session_user").fetchone()[0]
        say("connect", f"{who}, encrypted {bool(pg.ssl_in_use)}, password used {pg.used_password}")
    refused(connect, psycopg.OperationalError)


def ddl(c):
    cur = c.execute(f"CREATE TABLE {ITEM} (id bigint PRIMARY KEY, name text NOT NULL)")
    say("ddl", cur.statusmessage)
    c.execute(f"INSERT INTO {ITEM} VALUES (%s, %s), (%s, %s)", (1, "one", 2, "ß"))
    say("ddl", c.execute(f"SELECT id, name FROM {ITEM} ORDER BY id").fetchall())
    c.execute(f"CREATE TABLE {TYPED} ({DEFINITION})")
    say("ddl", c.execute(f'CREATE TABLE "pg.{CLIENT}".gone (id int)').statusmessage)
    say("ddl", c.execute(f'DROP TABLE "pg.{CLIENT}".gone').statusmessage)
    with c.transaction(force_rollback=True):
        c.execute(f'CREATE TABLE "pg.{CLIENT}".gone (id int)')
    with c.transaction():
        c.execute(f'CREATE TABLE "pg.{CLIENT}".gone (id int)')
    say("ddl", c.execute(f'DROP TABLE "pg.{CLIENT}".gone').statusmessage)


def types(c):
    c.execute(f"INSERT INTO {TYPED} VALUES ({VALUES})")
    rows = {}
    for binary in (False, True):
        for where, query, params in (("home", f"SELECT {LITERALS}", ()), ("managed", f"SELECT * FROM {TYPED} WHERE id = %s", (7,))):
            for _ in range(3):
                cur = c.cursor(binary=binary)
                rows[where, binary] = cur.execute(query.replace("%", "%%") if not params else query, params, prepare=True).fetchone()
                check(all(cur.pgresult.fformat(i) == int(binary) for i in range(COLUMNS)), "format of the result")
    values = rows["home", False]
    for at, row in rows.items():
        same(at, row, values)
    for column, value in zip(cur.description, values):
        say("types", f"{column.name} {value!r}")
    params = [Json(v) if d.name == "c_json" else Jsonb(v) if d.name == "c_jsonb" else v for d, v in zip(cur.description, values)]
    for n, mark in enumerate(("%t", "%b")):
        marks = [f"{mark}::{t}" for t in TYPES]
        same(f"parameters {mark}", c.execute(f"SELECT {', '.join(marks)}", params, prepare=True).fetchone(), values)
        row = [8 + n, *params[1:]]
        c.execute(f"INSERT INTO {TYPED} VALUES ({', '.join(marks)})", row, prepare=True)
        back = c.execute(f"SELECT * FROM {TYPED} WHERE id = %b", (8 + n,), binary=True).fetchone()
        same(f"inserted by {mark}", back[1:], values[1:])
        say("types", f"parameters {mark} same")


def errors(c):
    for sql in MISTAKES:
        try:
            c.execute(sql)
            check(False, f"no error of {sql}")
        except psycopg.Error as e:
            say("error", f"{type(e).__name__} {e.sqlstate} at {e.diag.statement_position}: {e.diag.message_primary}")
    same("usable after errors", c.execute("SELECT 1").fetchone(), (1,))


def notices(c):
    seen = []
    with connect() as other:
        other.execute(f"SELECT pg_advisory_lock({LOCK_KEY})")

        def handler(diag):
            seen.append(f"{diag.severity} {diag.message_primary}")
            if len(seen) == 1:
                other.execute(f"SELECT pg_advisory_unlock({LOCK_KEY})")

        c.add_notice_handler(handler)
        c.execute(NOTICE_AND_LOCK)
        c.remove_notice_handler(handler)
    say("notice", seen)


def slow_table(c, when_told):
    """Makes a table by a job that waits for a lock; when_told is called with the first notice."""
    with psycopg.connect(LOCK_URL) as holder:
        holder.execute(LOCK_PARENT)
        seen = []

        def handler(diag):
            seen.append(diag.message_primary)
            if len(seen) == 1:
                when_told(holder)

        c.add_notice_handler(handler)
        try:
            c.execute(CHILD)
        finally:
            c.remove_notice_handler(handler)
    return seen


def slow(c):
    c.execute(f"CREATE TABLE {PARENT} (id int PRIMARY KEY)")
    c.execute(TELL_ALL)
    seen = slow_table(c, lambda holder: holder.rollback())
    check("started for CREATE TABLE" in seen[0], seen)
    say("gateway notice", "started, then the end")
    c.execute(f'DROP TABLE "slow.{CLIENT}".child')


stop = Stop()


def cancel(c):
    c.execute(PATIENT)

    def asleep(_):
        stop.send(c.cancel_safe)

    c.add_notice_handler(asleep)
    try:
        c.execute(NOTICE_AND_SLEEP)
    except psycopg.Error as e:
        say("cancel", f"{type(e).__name__} {e.sqlstate} {e.diag.message_primary}")
    c.remove_notice_handler(asleep)
    stop.wait()
    same("usable after a cancel", c.execute("SELECT 1").fetchone(), (1,))


def cancel_job(c):
    try:
        slow_table(c, lambda _: stop.send(c.cancel_safe))
    except psycopg.Error as e:
        say("gateway cancel", f"{e.sqlstate} {e.diag.message_primary}")
    stop.wait()
    same("usable after a cancel", c.execute("SELECT 1").fetchone(), (1,))
    c.execute(CHILD)
    c.execute(f'DROP TABLE "slow.{CLIENT}".child')


def pool():
    with ConnectionPool(URL, min_size=POOL, max_size=POOL, kwargs={"autocommit": True}) as p:

        def work(arrive):
            with p.connection() as c:
                arrive()
                return c.execute(f"SELECT sum(id) FROM {ITEM} WHERE id <= %s", (2,)).fetchone()[0] + c.execute("SELECT 1").fetchone()[0]

        sums = together(work)
    say("pool", f"{len(sums)} clients, {sum(sums)}")


def fetch(c):
    for query in (f"SELECT * FROM {BIG}", f"SELECT i FROM generate_series(1, {ROWS}) i"):
        cur = c.cursor()
        ids = [row[0] for row in cur.stream(query, size=100)]
        say("fetch", f"streamed {len(ids)}, {sum(ids)}")
    with c.transaction(), c.cursor("few") as cur:
        cur.itersize = 100
        ids = [row[0] for row in cur.execute(f"SELECT i FROM generate_series(1, {ROWS}) i")]
        say("fetch", f"by a cursor {len(ids)}, {sum(ids)}")
    if GATEWAY:
        try:
            with c.transaction(), c.cursor("few") as cur:
                cur.execute(f"SELECT * FROM {BIG}")
        except psycopg.Error as e:
            say("gateway fetch", f"by a cursor {e.sqlstate}")


ways_in()
with connect() as c:
    c.execute(IMPATIENT)
    ddl(c)
    types(c)
    errors(c)
    notices(c)
    if GATEWAY:
        slow(c)
    cancel(c)
    if GATEWAY:
        cancel_job(c)
    fetch(c)
pool()

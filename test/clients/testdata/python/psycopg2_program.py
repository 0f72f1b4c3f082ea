"""psycopg2: simple queries and the text format only."""

import select

import psycopg2
from psycopg2 import extensions
from psycopg2.extras import Json, register_uuid
from psycopg2.pool import ThreadedConnectionPool

from common import *

register_uuid()


class Connection(extensions.connection):
    """Calls back for each notice while the statement that it belongs to runs."""

    told = None


def wait(c):
    """Waits as psycopg2 does for programs with green threads, and looks for notices meanwhile."""
    while True:
        state = c.poll()
        if c.told and c.notices:
            told, c.told = c.told, None
            told()
        if state == extensions.POLL_OK:
            return
        if state == extensions.POLL_READ:
            select.select([c], [], [])
        else:
            select.select([], [c], [])


def connect(**kwargs):
    c = psycopg2.connect(URL, connection_factory=Connection, **kwargs)
    c.autocommit = True
    return c


def execute(c, sql, params=None):
    with c.cursor() as cur:
        cur.execute(sql, params)
        return cur.fetchall() if cur.description else cur.statusmessage


def ways_in():
    c = connect()
    say("connect", f"{execute(c, 'SELECT session_user')}, encrypted {bool(c.info.ssl_in_use)}, password used {c.info.used_password}")
    c.close()
    refused(connect, psycopg2.OperationalError)


def ddl(c):
    say("ddl", execute(c, f"CREATE TABLE {ITEM} (id bigint PRIMARY KEY, name text NOT NULL)"))
    say("ddl", execute(c, f"INSERT INTO {ITEM} VALUES (%s, %s), (%s, %s)", (1, "one", 2, "ß")))
    say("ddl", execute(c, f"SELECT id, name FROM {ITEM} ORDER BY id"))
    execute(c, f"CREATE TABLE {TYPED} ({DEFINITION})")
    c.autocommit = False
    execute(c, f'CREATE TABLE "pg.{CLIENT}".gone (id int)')
    c.rollback()
    with c:
        execute(c, f'CREATE TABLE "pg.{CLIENT}".gone (id int)')
    c.autocommit = True
    say("ddl", execute(c, f'DROP TABLE "pg.{CLIENT}".gone'))


def plain(row):
    return [bytes(v) if isinstance(v, memoryview) else v for v in row]


def types(c):
    execute(c, f"INSERT INTO {TYPED} VALUES ({VALUES})")
    execute(c, f"PREPARE home AS SELECT {LITERALS}")
    with c.cursor() as cur:
        cur.execute("EXECUTE home")
        names = [d.name for d in cur.description]
        home = cur.fetchone()
    same("managed", plain(execute(c, f"SELECT * FROM {TYPED} WHERE id = %s", (7,))[0]), plain(home))
    for name, value in zip(names, plain(home)):
        say("types", f"{name} {value!r}")
    params = [Json(v) if n in ("c_json", "c_jsonb") else v for n, v in zip(names, home)]
    marks = ", ".join(f"CAST(%s AS {t})" for t in TYPES)
    same("parameters", plain(execute(c, f"SELECT {marks}", params)[0]), plain(home))
    execute(c, f"INSERT INTO {TYPED} VALUES ({marks})", [8, *params[1:]])
    same("inserted", plain(execute(c, f"SELECT * FROM {TYPED} WHERE id = %s", (8,))[0])[1:], plain(home)[1:])


def errors(c):
    for sql in MISTAKES:
        try:
            execute(c, sql)
            check(False, f"no error of {sql}")
        except psycopg2.Error as e:
            say("error", f"{type(e).__name__} {e.pgcode} at {e.diag.statement_position}: {e.diag.message_primary}")
    same("usable after errors", execute(c, "SELECT 1"), [(1,)])


def when_told(c, sql, told):
    del c.notices[:]
    c.told = told
    try:
        execute(c, sql)
    finally:
        c.told = None
    return c.notices


def notices(c):
    other = connect()
    execute(other, f"SELECT pg_advisory_lock({LOCK_KEY})")
    say("notice", when_told(c, NOTICE_AND_LOCK, lambda: execute(other, f"SELECT pg_advisory_unlock({LOCK_KEY})")))
    other.close()


def slow_table(c, told):
    holder = psycopg2.connect(LOCK_URL, connection_factory=Connection)
    execute(holder, LOCK_PARENT)
    try:
        return when_told(c, CHILD, lambda: told(holder))
    finally:
        holder.close()


def slow(c):
    execute(c, f"CREATE TABLE {PARENT} (id int PRIMARY KEY)")
    execute(c, TELL_ALL)
    seen = slow_table(c, lambda holder: holder.rollback())
    check("started for CREATE TABLE" in seen[0], seen)
    say("gateway notice", "started, then the end")
    execute(c, f'DROP TABLE "slow.{CLIENT}".child')


stop = Stop()


def cancel(c):
    execute(c, PATIENT)
    try:
        when_told(c, NOTICE_AND_SLEEP, lambda: stop.send(c.cancel))
    except psycopg2.Error as e:
        say("cancel", f"{type(e).__name__} {e.pgcode} {e.diag.message_primary}")
    stop.wait()
    same("usable after a cancel", execute(c, "SELECT 1"), [(1,)])


def cancel_job(c):
    try:
        slow_table(c, lambda _: stop.send(c.cancel))
    except psycopg2.Error as e:
        say("gateway cancel", f"{e.pgcode} {e.diag.message_primary}")
    stop.wait()
    same("usable after a cancel", execute(c, "SELECT 1"), [(1,)])


def pool():
    p = ThreadedConnectionPool(POOL, POOL, URL)

    def work(arrive):
        c = p.getconn()
        arrive()
        n = int(execute(c, f"SELECT sum(id) FROM {ITEM} WHERE id <= %s", (2,))[0][0]) + execute(c, "SELECT 1")[0][0]
        c.rollback()
        p.putconn(c)
        return n

    sums = together(work)
    p.closeall()
    say("pool", f"{len(sums)} clients, {sum(sums)}")


def fetch(c):
    c.autocommit = False
    with c, c.cursor("few") as cur:
        cur.itersize = 100
        cur.execute(f"SELECT i FROM generate_series(1, {ROWS}) i")
        ids = [row[0] for row in cur]
        say("fetch", f"by a cursor {len(ids)}, {sum(ids)}")
    if GATEWAY:
        try:
            with c, c.cursor("few") as cur:
                cur.execute(f"SELECT * FROM {BIG}")
        except psycopg2.Error as e:
            say("gateway fetch", f"by a cursor {e.pgcode}")
    c.autocommit = True
    ids = [row[0] for row in execute(c, f"SELECT * FROM {BIG}")]
    say("fetch", f"at once {len(ids)}, {sum(ids)}")


ways_in()
extensions.set_wait_callback(wait)
c = connect()
execute(c, IMPATIENT)
ddl(c)
types(c)
errors(c)
notices(c)
if GATEWAY:
    slow(c)
cancel(c)
if GATEWAY:
    cancel_job(c)
extensions.set_wait_callback(None)
fetch(c)
c.close()
pool()

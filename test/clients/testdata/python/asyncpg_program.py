"""asyncpg: extended protocol, binary results; text for the types that a program asks for."""

import asyncio
import ssl

import asyncpg

from common import *

context = ssl.create_default_context(cafile=CA)


def connect(**kwargs):
    return asyncpg.connect(URL.split("?")[0], ssl=kwargs.pop("ssl", context), **kwargs)


async def ways_in():
    c = await connect()
    who = await c.fetchval("SELECT session_user")
    encrypted = c._transport.get_extra_info("ssl_object").version()
    say("connect", f"{who}, encrypted {encrypted}")
    await c.close()
    for params in ({"ssl": "disable"}, {"password": "wrong"}):
        try:
            await (await connect(**params)).close()
            say("connect", f"with {list(params)}: ok")
        except asyncpg.PostgresError as e:
            say("connect", f"with {list(params)}: {e.sqlstate} {e}")


async def ddl(c):
    say("ddl", await c.execute(f"CREATE TABLE {ITEM} (id bigint PRIMARY KEY, name text NOT NULL)"))
    await c.executemany(f"INSERT INTO {ITEM} VALUES ($1, $2)", [(1, "one")])
    say("ddl", await c.execute(f"INSERT INTO {ITEM} VALUES ($1, $2)", 2, "ß"))
    say("ddl", [tuple(r) for r in await c.fetch(f"SELECT id, name FROM {ITEM} ORDER BY id")])
    await c.execute(f"CREATE TABLE {TYPED} ({DEFINITION})")
    tx = c.transaction()
    await tx.start()
    await c.execute(f'CREATE TABLE "pg.{CLIENT}".gone (id int)')
    await tx.rollback()
    async with c.transaction():
        await c.execute(f'CREATE TABLE "pg.{CLIENT}".gone (id int)')
    say("ddl", await c.execute(f'DROP TABLE "pg.{CLIENT}".gone'))


async def types(c):
    await c.execute(f"INSERT INTO {TYPED} VALUES ({VALUES})")
    marks = ", ".join(f"${i + 1}::{t}" for i, t in enumerate(TYPES))
    values = {}
    for form in ("binary", "text"):
        if form == "text":
            await as_text(c)
        home = await c.prepare(f"SELECT {LITERALS}")
        managed = await c.prepare(f"SELECT * FROM {TYPED} WHERE id = $1")
        insert = await c.prepare(f"INSERT INTO {TYPED} VALUES ({marks})")
        for _ in range(3):
            row = tuple(await home.fetchrow())
            same(f"managed {form}", tuple(await managed.fetchrow(7)), row)
        values[form] = row
        same(f"parameters {form}", tuple(await c.fetchrow(f"SELECT {marks}", *row)), row)
        key = {"binary": 8, "text": 9}[form]
        await insert.fetch(key, *row[1:])
        same(f"inserted {form}", tuple(await managed.fetchrow(key))[1:], row[1:])
        for a, value in zip(home.get_attributes(), row):
            say("types", f"{form} {a.name} {value!r}")


async def as_text(c):
    for name in ("bool", "int2", "int8", "float8", "uuid", "timestamptz", "date", "time", "numeric", "jsonb", "interval", "bytea", "oid"):
        await c.set_type_codec(name, schema="pg_catalog", format="text", encoder=str, decoder=str)
    await c.reload_schema_state()


async def errors(c):
    for sql in MISTAKES:
        try:
            await c.execute(sql)
            check(False, f"no error of {sql}")
        except asyncpg.PostgresError as e:
            say("error", f"{type(e).__name__} {e.sqlstate} at {e.position}: {e}")
        try:
            await c.prepare(sql)
        except asyncpg.PostgresError as e:
            say("error", f"prepared {e.sqlstate} at {e.position}")
    same("usable after errors", await c.fetchval("SELECT 1"), 1)


async def listening(c, statement, told):
    """Runs a statement; told is awaited when the first notice is there."""
    seen, first = [], asyncio.Event()

    def listener(_, message):
        seen.append(f"{message.severity} {message.message}")
        first.set()

    c.add_log_listener(listener)
    try:
        running = asyncio.ensure_future(statement)
        waiting = asyncio.ensure_future(first.wait())
        await asyncio.wait((running, waiting), return_when=asyncio.FIRST_COMPLETED)
        check(first.is_set() and not running.done(), "no notice while the statement runs")
        await told(running)
        await running
    finally:
        waiting.cancel()
        c.remove_log_listener(listener)
        await asyncio.sleep(0)
    return seen


async def notices(c):
    other = await connect()
    await other.execute(f"SELECT pg_advisory_lock({LOCK_KEY})")
    seen = await listening(c, c.execute(NOTICE_AND_LOCK), lambda _: other.execute(f"SELECT pg_advisory_unlock({LOCK_KEY})"))
    await other.close()
    say("notice", seen)


async def slow_table(c, told):
    holder = await asyncpg.connect(LOCK_URL.split("?")[0], ssl=context)
    try:
        tx = holder.transaction()
        await tx.start()
        await holder.execute(LOCK_PARENT)
        return await listening(c, c.execute(CHILD), lambda running: told(tx, running))
    finally:
        # Behind a CancelRequest under way: the lock is held until the statement has ended.
        await c.fetchval("SELECT 1")
        await holder.close()


async def slow(c):
    await c.execute(f"CREATE TABLE {PARENT} (id int PRIMARY KEY)")
    await c.execute(TELL_ALL)
    seen = await slow_table(c, lambda tx, _: tx.rollback())
    check("started for CREATE TABLE" in seen[0], seen)
    say("gateway notice", "started, then the end")
    await c.execute(f'DROP TABLE "slow.{CLIENT}".child')


async def stop(running):
    """asyncpg sends a CancelRequest when the task is cancelled, and keeps the server's answer to itself."""
    running.cancel()


async def cancel(c):
    await c.execute(PATIENT)
    try:
        await listening(c, c.execute(NOTICE_AND_SLEEP), stop)
    except asyncio.CancelledError:
        say("cancel", "cancelled")
    try:
        await c.execute("SELECT pg_sleep(600)", timeout=0.2)
    except asyncio.TimeoutError:
        say("cancel", "timeout")
    same("usable after a cancel", await c.fetchval("SELECT 1"), 1)


async def cancel_job(c):
    try:
        await slow_table(c, lambda _, running: stop(running))
    except asyncio.CancelledError:
        pass
    state = await c.fetchval("SELECT state FROM tablewright.jobs WHERE target = $1 ORDER BY created DESC LIMIT 1", f"slow.{CLIENT}.child")
    say("gateway cancel", f"job {state}")


async def pool():
    async with asyncpg.create_pool(URL.split("?")[0], ssl=context, min_size=POOL, max_size=POOL) as p:
        meet = asyncio.Semaphore(0)

        async def work():
            async with p.acquire() as c:
                meet.release()
                while meet._value < POOL:
                    await asyncio.sleep(0)
                return await c.fetchval(f"SELECT sum(id)::int FROM {ITEM} WHERE id <= $1", 2) + await c.fetchval("SELECT 1")

        sums = await asyncio.gather(*(work() for _ in range(POOL)))
    say("pool", f"{len(sums)} clients, {sum(sums)}")


async def fetch(c):
    for query in (f"SELECT * FROM {BIG}", f"SELECT i FROM generate_series(1, {ROWS}) i"):
        async with c.transaction():
            ids = [r[0] async for r in c.cursor(query, prefetch=100)]
            cur = await c.cursor(query)
            some = await cur.fetch(3), await cur.fetch(2)
        say("fetch", f"prefetched {len(ids)}, {sum(ids)}; {[len(rows) for rows in some]}")


async def main():
    await ways_in()
    c = await connect()
    await c.execute(IMPATIENT)
    await ddl(c)
    await errors(c)
    await notices(c)
    if GATEWAY:
        await slow(c)
    await cancel(c)
    if GATEWAY:
        await cancel_job(c)
    await fetch(c)
    await types(c)
    await c.close()
    await pool()


asyncio.run(main())

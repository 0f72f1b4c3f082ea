"""What the programs of all Python drivers share: where to connect, and how to say what was seen."""

import os
import threading
from concurrent.futures import ThreadPoolExecutor

SIDE = os.environ["SIDE"]
GATEWAY = SIDE == "gateway"
CLIENT = os.environ["CLIENT"]
URL = os.environ["URL"]
LOCK_URL = os.environ["LOCK_URL"]
CA = os.environ["CA"]
LITERALS = os.environ["LITERALS"]
VALUES = os.environ["VALUES"]
TYPES = os.environ["TYPES"].split(";")
DEFINITION = os.environ["DEFINITION"]
COLUMNS = len(TYPES)
POOL = 50
ROWS = 2500

ITEM = f'"pg.{CLIENT}".item'
TYPED = f'"pg.{CLIENT}".typed'
BIG = '"pg.shared".big'
PARENT = f'"slow.{CLIENT}".parent'
CHILD = f'CREATE TABLE "slow.{CLIENT}".child (id int, parent int REFERENCES {PARENT})'
LOCK_PARENT = f"LOCK TABLE {CLIENT}.parent IN ACCESS EXCLUSIVE MODE"

# What errors and their positions are, is PostgreSQL's to say: the program runs with both.
MISTAKES = [
    "SELECT 1 FROM FROM x",
    f"CREATE TABLE {ITEM} (id int,, name text)",
    f'CREATE TABLE "pg.{CLIENT}".bad (id int, ß nosuchtype)',
    f"CREATE TABLE {ITEM} (id int)",
    f"SELECT ß FROM {ITEM}",
    "SELECT 1/0",
]
# One notice, then a wait for a lock that the program lets go when it has seen the notice.
LOCK_KEY = f"hashtext('{CLIENT}')"
NOTICE_AND_LOCK = f"DO $$ BEGIN RAISE NOTICE 'first'; PERFORM pg_advisory_xact_lock({LOCK_KEY}); RAISE NOTICE 'second'; END $$"
NOTICE_AND_SLEEP = "DO $$ BEGIN RAISE NOTICE 'sleeping'; PERFORM pg_sleep(600); END $$"
# A notice that does not come while the statement runs lets it fail.
IMPATIENT = "SET statement_timeout = '60s'"
# A cancel that does not come is not to be taken for a time-out of the statement: it runs out the time of the program.
PATIENT = "SET statement_timeout = 0"
TELL_ALL = "SET tablewright.notice_after = 0"


def say(thing, what):
    print(f"{thing}: {what}", flush=True)


def check(ok, what):
    if not ok:
        raise AssertionError(what)


def same(what, one, other):
    check(one == other, f"{what}: {one!r} is not {other!r}")


class Stop:
    """CancelRequests, each sent by a thread of its own. PostgreSQL signals a process twice for one (it, and its group), so
    that only the end of the cancel's connection tells that no signal for it can meet the next statement."""

    def __init__(self):
        self.threads = []

    def send(self, cancel, *args):
        self.threads.append(threading.Thread(target=cancel, args=args))
        self.threads[-1].start()

    def wait(self):
        for thread in self.threads:
            thread.join()
        self.threads = []


def refused(connect, error):
    """What logins are answered that differ from the right one in one parameter."""
    for params in ({"sslmode": "disable"}, {"password": "wrong"}, {"channel_binding": "require"}):
        try:
            connect(**params).close()
            say("connect", f"with {list(params)}: ok")
        except error as e:
            say("connect", f"with {list(params)}: {str(e).rsplit('FATAL:')[-1].strip().splitlines()[0]}")


def together(work):
    """Runs work in as many threads as a pool has connections; each calls what it is given once it has its own."""
    meet = threading.Barrier(POOL, timeout=60)
    with ThreadPoolExecutor(POOL) as threads:
        return [result for result in threads.map(lambda _: work(meet.wait), range(POOL))]

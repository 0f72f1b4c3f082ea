// node-postgres, with pg-cursor and pg-query-stream. NODE_PATH leads to the packages.
const fs = require('fs')
const pg = require('pg')
const Cursor = require('pg-cursor')
const QueryStream = require('pg-query-stream')

const { SIDE, CLIENT, HOST, PORT, DATABASE, LOGIN, PASSWORD, CA, LITERALS, VALUES, DEFINITION } = process.env
const gateway = SIDE === 'gateway'
const types = process.env.TYPES.split(';')
const ssl = { ca: fs.readFileSync(CA, 'utf8') }
const config = { host: HOST, port: +PORT, database: DATABASE, user: LOGIN, password: PASSWORD, ssl }
const lockConfig = {
  host: HOST, port: +process.env.LOCK_PORT, database: 'slow', user: process.env.LOCK_LOGIN, password: process.env.LOCK_PASSWORD, ssl,
}
const item = `"pg.${CLIENT}".item`
const typed = `"pg.${CLIENT}".typed`
const big = '"pg.shared".big'
const parent = `"slow.${CLIENT}".parent`
const child = `CREATE TABLE "slow.${CLIENT}".child (id int, parent int REFERENCES ${parent})`
const lockKey = `hashtext('${CLIENT}')`
const rows = 2500
const pool = 50

const say = (thing, what) => console.log(`${thing}: ${typeof what === 'string' ? what : JSON.stringify(what)}`)
const check = (ok, what) => { if (!ok) throw new Error(what) }
const same = (what, one, other) => check(JSON.stringify(one) === JSON.stringify(other), `${what}: ${JSON.stringify(one)} is not ${JSON.stringify(other)}`)
const sum = list => list.reduce((a, b) => a + b, 0)

async function connect(more) {
  const client = new pg.Client({ ...config, ...more })
  await client.connect()
  return client
}

async function waysIn() {
  const c = await connect()
  const { rows: [{ session_user }] } = await c.query('SELECT session_user')
  say('connect', `${session_user}, ${c.connection.stream.getProtocol()}`)
  await c.end()
  for (const more of [{ ssl: false }, { password: 'wrong' }, { enableChannelBinding: true }]) {
    try {
      await (await connect(more)).end()
      say('connect', `with ${Object.keys(more)}: ok`)
    } catch (e) {
      say('connect', `with ${Object.keys(more)}: ${e.code} ${e.message}`)
    }
  }
}

async function ddl(c) {
  say('ddl', (await c.query(`CREATE TABLE ${item} (id bigint PRIMARY KEY, name text NOT NULL)`)).command)
  say('ddl', `inserted ${(await c.query(`INSERT INTO ${item} VALUES ($1, $2), ($3, $4)`, [1, 'one', 2, 'ß'])).rowCount}`)
  say('ddl', (await c.query(`SELECT id, name FROM ${item} ORDER BY id`)).rows)
  await c.query(`CREATE TABLE ${typed} (${DEFINITION})`)
  for (const end of ['ROLLBACK', 'COMMIT']) {
    await c.query('BEGIN')
    await c.query(`CREATE TABLE "pg.${CLIENT}".gone (id int)`)
    await c.query(end)
  }
  say('ddl', (await c.query(`DROP TABLE "pg.${CLIENT}".gone`)).command)
}

// node-postgres reads what comes in binary through UTF-8 and loses bytes beyond ASCII, with any server: what is
// left is compared as it is.
const bytes = { getTypeParser: () => value => Buffer.from(value).toString('hex') }

async function typesOf(c) {
  await c.query(`INSERT INTO ${typed} VALUES (${VALUES})`)
  const query = (name, text, values, binary) => c.query({ name, text, values, binary, rowMode: 'array', ...(binary && { types: bytes }) })
  let text
  for (const binary of [false, true]) {
    let home, managed
    for (let i = 0; i < 3; i++) {
      home = await query(`home ${binary}`, `SELECT ${LITERALS}`, [], binary)
      managed = await query(`managed ${binary}`, `SELECT * FROM ${typed} WHERE id = $1`, [7], binary)
    }
    check(home.fields.every(f => f.format === (binary ? 'binary' : 'text')), 'formats')
    same(`managed, binary ${binary}`, managed.rows[0], home.rows[0])
    home.fields.forEach((f, i) => say('types', `${binary ? 'binary' : 'text'} ${f.name} ${JSON.stringify(home.rows[0][i])}`))
    text = text || home
  }
  const marks = types.map((t, i) => `$${i + 1}::${t}`).join(', ')
  const names = text.fields.map(f => f.name)
  const values = text.rows[0].map((v, i) => names[i].startsWith('c_json') ? JSON.stringify(v) : v)
  same('parameters', (await query('parameters', `SELECT ${marks}`, values)).rows[0], text.rows[0])
  values[0] = 8
  await query('insert', `INSERT INTO ${typed} VALUES (${marks})`, values)
  same('inserted', (await query('managed false', `SELECT * FROM ${typed} WHERE id = $1`, [8])).rows[0].slice(1), text.rows[0].slice(1))
}

async function errors(c) {
  for (const sql of [
    'SELECT 1 FROM FROM x', `CREATE TABLE ${item} (id int,, name text)`, `CREATE TABLE "pg.${CLIENT}".bad (id int, ß nosuchtype)`,
    `CREATE TABLE ${item} (id int)`, `SELECT ß FROM ${item}`, 'SELECT 1/0',
  ]) {
    for (const values of [undefined, []]) {
      const e = await c.query(sql, values).then(() => check(false, `no error of ${sql}`), e => e)
      say('error', `${e.code} at ${e.position}: ${e.message}`)
    }
  }
  same('usable after errors', (await c.query('SELECT 1 AS n')).rows, [{ n: 1 }])
}

// Runs a statement; told is called with the first notice, which must come while it runs.
async function whenTold(c, sql, told) {
  const seen = []
  let telling
  const query = new pg.Query(sql)
  const listener = notice => {
    seen.push(`${notice.severity} ${notice.message}`)
    if (seen.length === 1) telling = told(query)
  }
  c.on('notice', listener)
  try {
    await new Promise((resolve, reject) => { query.on('end', resolve); query.on('error', reject); c.query(query) })
  } finally {
    await telling
    c.off('notice', listener)
  }
  return seen
}

async function notices(c) {
  const other = await connect()
  await other.query(`SELECT pg_advisory_lock(${lockKey})`)
  say('notice', await whenTold(c, `DO $$ BEGIN RAISE NOTICE 'first'; PERFORM pg_advisory_xact_lock(${lockKey}); RAISE NOTICE 'second'; END $$`,
    () => other.query(`SELECT pg_advisory_unlock(${lockKey})`)))
  await other.end()
}

async function slowTable(c, told) {
  const holder = new pg.Client(lockConfig)
  await holder.connect()
  try {
    await holder.query('BEGIN')
    await holder.query(`LOCK TABLE ${CLIENT}.parent IN ACCESS EXCLUSIVE MODE`)
    return await whenTold(c, child, query => told(holder, query))
  } finally {
    await holder.end()
  }
}

async function slow(c) {
  await c.query(`CREATE TABLE ${parent} (id int PRIMARY KEY)`)
  await c.query('SET tablewright.notice_after = 0')
  const seen = await slowTable(c, holder => holder.query('ROLLBACK'))
  check(/started for CREATE TABLE/.test(seen[0]), seen)
  say('gateway notice', 'started, then the end')
  await c.query(`DROP TABLE "slow.${CLIENT}".child`)
}

// node-postgres sends a CancelRequest on a client of its own. PostgreSQL signals a process twice for one (it, and its
// group): only the end of the connection tells that no signal for it can meet the next statement.
const stop = (c, query) => new Promise(resolve => {
  const canceller = new pg.Client({ ...config, ssl: false })
  canceller.connection.once('end', resolve)
  canceller.cancel(c, query)
})

async function cancel(c) {
  // A cancel that does not come is not to be taken for a time-out of the statement.
  await c.query('SET statement_timeout = 0')
  await whenTold(c, "DO $$ BEGIN RAISE NOTICE 'sleeping'; PERFORM pg_sleep(600); END $$", query => stop(c, query))
    .catch(e => say('cancel', `${e.code} ${e.message}`))
  same('usable after a cancel', (await c.query('SELECT 1 AS n')).rows, [{ n: 1 }])
}

async function cancelJob(c) {
  await slowTable(c, (_, query) => stop(c, query)).catch(e => say('gateway cancel', `${e.code} ${e.message}`))
  same('usable after a cancel', (await c.query('SELECT 1 AS n')).rows, [{ n: 1 }])
}

async function pooled() {
  const p = new pg.Pool({ ...config, max: pool })
  const clients = await Promise.all(Array.from({ length: pool }, () => p.connect()))
  const sums = await Promise.all(clients.map(async c => {
    const managed = await c.query(`SELECT sum(id)::int AS n FROM ${item} WHERE id <= $1`, [2])
    const home = await c.query('SELECT 1 AS n')
    return managed.rows[0].n + home.rows[0].n
  }))
  say('pool', `${p.totalCount} clients, ${sum(sums)}`)
  clients.forEach(c => c.release())
  await p.end()
}

async function fetch(c) {
  for (const sql of [`SELECT id FROM ${big}`, `SELECT i AS id FROM generate_series(1, ${rows}) i`]) {
    const cursor = c.query(new Cursor(sql))
    const sizes = []
    const ids = []
    for (let part; (part = await cursor.read(1000)).length > 0;) {
      sizes.push(part.length)
      ids.push(...part.map(r => r.id))
    }
    say('fetch', `cursor ${sizes}, ${sum(ids)}`)
    const some = c.query(new Cursor(sql))
    say('fetch', `closed after ${(await some.read(3)).length}`)
    await some.close()
    const streamed = []
    for await (const row of c.query(new QueryStream(sql, [], { batchSize: 100 }))) streamed.push(row.id)
    say('fetch', `stream ${streamed.length}, ${sum(streamed)}`)
  }
}

async function main() {
  await waysIn()
  const c = await connect()
  await c.query("SET statement_timeout = '60s'")
  await ddl(c)
  await typesOf(c)
  await errors(c)
  await notices(c)
  if (gateway) await slow(c)
  await cancel(c)
  if (gateway) await cancelJob(c)
  await fetch(c)
  await c.end()
  await pooled()
}

main().catch(e => { console.error(e); process.exit(1) })

import java.sql.*;
import java.util.*;
import java.util.concurrent.*;
import org.postgresql.*;
import org.postgresql.util.*;

/** pgjdbc. */
public class Program {
    static final Map<String, String> ENV = System.getenv();
    static final boolean GATEWAY = ENV.get("SIDE").equals("gateway");
    static final String CLIENT = ENV.get("CLIENT");
    static final String ITEM = "\"pg." + CLIENT + "\".item", TYPED = "\"pg." + CLIENT + "\".typed", BIG = "\"pg.shared\".big";
    static final String PARENT = "\"slow." + CLIENT + "\".parent";
    static final String CHILD = "CREATE TABLE \"slow." + CLIENT + "\".child (id int, parent int REFERENCES " + PARENT + ")";
    static final String LOCK_KEY = "hashtext('" + CLIENT + "')";
    static final String[] TYPES = ENV.get("TYPES").split(";");
    static final int ROWS = 2500, POOL = 50;

    static void say(String thing, Object what) {
        System.out.println(thing + ": " + what);
    }

    static void check(boolean ok, Object what) {
        if (!ok) throw new AssertionError(what);
    }

    static void same(String what, Object one, Object other) {
        check(one.equals(other), what + ": " + one + " is not " + other);
    }

    static Connection connect(String... more) throws SQLException {
        return connectAs(ENV.get("PORT"), ENV.get("DATABASE"), ENV.get("LOGIN"), ENV.get("PASSWORD"), more);
    }

    static Connection connectAs(String port, String database, String user, String password, String... more) throws SQLException {
        Properties p = new Properties();
        p.setProperty("user", user);
        p.setProperty("password", password);
        p.setProperty("sslmode", "verify-full");
        p.setProperty("sslrootcert", ENV.get("CA"));
        for (int i = 0; i < more.length; i += 2) p.setProperty(more[i], more[i + 1]);
        return DriverManager.getConnection("jdbc:postgresql://" + ENV.get("HOST") + ":" + port + "/" + database, p);
    }

    static void execute(Connection c, String sql) throws SQLException {
        try (Statement s = c.createStatement()) {
            s.execute(sql);
        }
    }

    static Object one(Connection c, String sql) throws SQLException {
        try (Statement s = c.createStatement(); ResultSet r = s.executeQuery(sql)) {
            check(r.next(), "no row of " + sql);
            return r.getObject(1);
        }
    }

    static void waysIn() throws SQLException {
        try (Connection c = connect()) {
            say("connect", one(c, "SELECT session_user") + ", verified");
        }
        for (String[] more : new String[][] {{"sslmode", "disable"}, {"password", "wrong"}}) {
            try (Connection c = connect(more)) {
                say("connect", "with " + more[0] + ": ok");
            } catch (SQLException e) {
                say("connect", "with " + more[0] + ": " + e.getSQLState() + " " + ((PSQLException) e).getServerErrorMessage().getMessage());
            }
        }
    }

    static void ddl(Connection c) throws SQLException {
        execute(c, "CREATE TABLE " + ITEM + " (id bigint PRIMARY KEY, name text NOT NULL)");
        try (PreparedStatement p = c.prepareStatement("INSERT INTO " + ITEM + " VALUES (?, ?)")) {
            for (Object[] row : new Object[][] {{1L, "one"}, {2L, "ß"}}) {
                p.setLong(1, (Long) row[0]);
                p.setString(2, (String) row[1]);
                say("ddl", "inserted " + p.executeUpdate());
            }
        }
        execute(c, "CREATE TABLE " + TYPED + " (" + ENV.get("DEFINITION") + ")");
        c.setAutoCommit(false);
        execute(c, "CREATE TABLE \"pg." + CLIENT + "\".gone (id int)");
        c.rollback();
        execute(c, "CREATE TABLE \"pg." + CLIENT + "\".gone (id int)");
        c.commit();
        c.setAutoCommit(true);
        execute(c, "DROP TABLE \"pg." + CLIENT + "\".gone");
        try (ResultSet r = c.getMetaData().getColumns(null, "pg." + CLIENT, "%", "%")) {
            while (r.next()) say("ddl", r.getString("TABLE_NAME") + "." + r.getString("COLUMN_NAME") + " " + r.getString("TYPE_NAME") + " " + r.getString("IS_NULLABLE"));
        }
        try (ResultSet r = c.getMetaData().getPrimaryKeys(null, "pg." + CLIENT, "item")) {
            while (r.next()) say("ddl", "key " + r.getString("COLUMN_NAME"));
        }
    }

    static String plain(Object v) throws SQLException {
        if (v == null) return "null";
        if (v instanceof byte[]) return HexFormat.of().formatHex((byte[]) v);
        if (v instanceof java.sql.Array) {
            StringBuilder b = new StringBuilder("[");
            for (Object o : (Object[]) ((java.sql.Array) v).getArray()) b.append(b.length() > 1 ? ", " : "").append(plain(o));
            return b.append("]").toString();
        }
        return v.toString();
    }

    static List<Object> row(ResultSet r) throws SQLException {
        check(r.next(), "no row");
        List<Object> values = new ArrayList<>();
        for (int i = 1; i <= r.getMetaData().getColumnCount(); i++) values.add(r.getObject(i));
        check(!r.next(), "more rows");
        return values;
    }

    static List<String> plain(List<Object> row) throws SQLException {
        List<String> all = new ArrayList<>();
        for (Object v : row) all.add(plain(v));
        return all;
    }

    /** All types: by text, and by binary from the first execution on. */
    static void types(boolean binary, int key) throws SQLException {
        String marks = String.join(", ", Arrays.stream(TYPES).map(t -> "?::" + t).toList());
        try (Connection c = connect("binaryTransfer", "" + binary, "prepareThreshold", binary ? "-1" : "1");
                PreparedStatement home = c.prepareStatement("SELECT " + ENV.get("LITERALS"));
                PreparedStatement managed = c.prepareStatement("SELECT * FROM " + TYPED + " WHERE id = ?")) {
            List<Object> values = null;
            managed.setInt(1, 7);
            for (int i = 0; i < 3; i++) {
                try (ResultSet r = home.executeQuery(); ResultSet m = managed.executeQuery()) {
                    values = row(r);
                    same("managed", plain(row(m)), plain(values));
                    if (i == 2)
                        for (int n = 0; n < TYPES.length; n++) say("types", (binary ? "binary " : "text ") + r.getMetaData().getColumnName(n + 1) + " " + r.getMetaData().getColumnTypeName(n + 1) + " " + plain(values.get(n)));
                }
            }
            try (PreparedStatement p = c.prepareStatement("SELECT " + marks)) {
                for (int i = 0; i < TYPES.length; i++) p.setObject(i + 1, values.get(i));
                same("parameters", plain(row(p.executeQuery())), plain(values));
            }
            try (PreparedStatement p = c.prepareStatement("INSERT INTO " + TYPED + " VALUES (" + marks + ")")) {
                for (int i = 0; i < TYPES.length; i++) p.setObject(i + 1, i == 0 ? (Object) key : values.get(i));
                same("inserted", p.executeUpdate(), 1);
            }
            managed.setInt(1, key);
            try (ResultSet r = managed.executeQuery()) {
                List<String> back = plain(row(r));
                same("read back", back.subList(1, TYPES.length), plain(values).subList(1, TYPES.length));
            }
        }
    }

    static void errors(Connection c) throws SQLException {
        for (String sql : new String[] {
            "SELECT 1 FROM FROM x", "CREATE TABLE " + ITEM + " (id int,, name text)", "CREATE TABLE \"pg." + CLIENT + "\".bad (id int, ß nosuchtype)",
            "CREATE TABLE " + ITEM + " (id int)", "SELECT ß FROM " + ITEM, "SELECT 1/0"}) {
            try {
                execute(c, sql);
                check(false, "no error of " + sql);
            } catch (PSQLException e) {
                ServerErrorMessage m = e.getServerErrorMessage();
                say("error", e.getSQLState() + " at " + m.getPosition() + ": " + m.getMessage());
            }
        }
        same("usable after errors", one(c, "SELECT 1"), 1);
    }

    interface Told {
        void by(Statement s) throws Exception;
    }

    /** Runs a statement and looks at its warnings meanwhile, as programs that show progress do. */
    static List<String> whenTold(Connection c, String sql, Told told) throws Exception {
        try (Statement s = c.createStatement()) {
            ExecutorService other = Executors.newSingleThreadExecutor();
            try {
                Future<?> watch = other.submit(() -> {
                    while (s.getWarnings() == null) Thread.onSpinWait();
                    told.by(s);
                    return null;
                });
                try {
                    s.execute(sql);
                } finally {
                    watch.get(60, TimeUnit.SECONDS);
                }
                List<String> seen = new ArrayList<>();
                for (SQLWarning w = s.getWarnings(); w != null; w = w.getNextWarning()) seen.add(((PSQLWarning) w).getServerErrorMessage().getSeverity() + " " + w.getMessage());
                return seen;
            } finally {
                other.shutdownNow();
            }
        }
    }

    static void notices(Connection c) throws Exception {
        try (Connection other = connect()) {
            one(other, "SELECT pg_advisory_lock(" + LOCK_KEY + ")::text");
            say("notice", whenTold(c, "DO $$ BEGIN RAISE NOTICE 'first'; PERFORM pg_advisory_xact_lock(" + LOCK_KEY + "); RAISE NOTICE 'second'; END $$",
                s -> one(other, "SELECT pg_advisory_unlock(" + LOCK_KEY + ")")));
        }
    }

    interface ToldByHolder {
        void by(Connection holder, Statement s) throws Exception;
    }

    static List<String> slowTable(Connection c, ToldByHolder told) throws Exception {
        try (Connection holder = connectAs(ENV.get("LOCK_PORT"), "slow", ENV.get("LOCK_LOGIN"), ENV.get("LOCK_PASSWORD"))) {
            holder.setAutoCommit(false);
            execute(holder, "LOCK TABLE " + CLIENT + ".parent IN ACCESS EXCLUSIVE MODE");
            return whenTold(c, CHILD, s -> told.by(holder, s));
        }
    }

    static void slow(Connection c) throws Exception {
        execute(c, "CREATE TABLE " + PARENT + " (id int PRIMARY KEY)");
        execute(c, "SET tablewright.notice_after = 0");
        List<String> seen = slowTable(c, (holder, s) -> holder.rollback());
        check(seen.get(0).contains("started for CREATE TABLE"), seen);
        say("gateway notice", "started, then the end");
        execute(c, "DROP TABLE \"slow." + CLIENT + "\".child");
    }

    static void cancel(Connection c) throws Exception {
        // A cancel that does not come is not to be taken for a time-out of the statement.
        execute(c, "SET statement_timeout = 0");
        try {
            whenTold(c, "DO $$ BEGIN RAISE NOTICE 'sleeping'; PERFORM pg_sleep(600); END $$", Statement::cancel);
        } catch (PSQLException e) {
            say("cancel", e.getSQLState() + " " + e.getServerErrorMessage().getMessage());
        }
        try (Statement s = c.createStatement()) {
            s.setQueryTimeout(1);
            s.execute("SELECT pg_sleep(600)");
        } catch (PSQLException e) {
            say("cancel", "query timeout " + e.getSQLState());
        }
        same("usable after a cancel", one(c, "SELECT 1"), 1);
    }

    static void cancelJob(Connection c) throws Exception {
        try {
            slowTable(c, (holder, s) -> s.cancel());
        } catch (PSQLException e) {
            say("gateway cancel", e.getSQLState() + " " + e.getServerErrorMessage().getMessage());
        }
        same("usable after a cancel", one(c, "SELECT 1"), 1);
    }

    /** pgjdbc leaves pools to others; what they do is to open connections at once and to keep them. */
    static void pool() throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(POOL);
        CyclicBarrier meet = new CyclicBarrier(POOL);
        List<Future<Integer>> sums = new ArrayList<>();
        for (int i = 0; i < POOL; i++)
            sums.add(threads.submit(() -> {
                try (Connection c = connect()) {
                    meet.await(60, TimeUnit.SECONDS);
                    check(c.isValid(5), "valid");
                    return (int) one(c, "SELECT sum(id)::int FROM " + ITEM + " WHERE id <= 2") + (int) one(c, "SELECT 1");
                }
            }));
        int sum = 0;
        for (Future<Integer> f : sums) sum += f.get(60, TimeUnit.SECONDS);
        threads.shutdownNow();
        say("pool", POOL + " clients, " + sum);
    }

    static void fetch(Connection c) throws SQLException {
        c.setAutoCommit(false);
        for (String sql : new String[] {"SELECT id FROM " + BIG, "SELECT i FROM generate_series(1, " + ROWS + ") i"}) {
            try (PreparedStatement p = c.prepareStatement(sql)) {
                p.setFetchSize(100);
                int n = 0, sum = 0;
                try (ResultSet r = p.executeQuery()) {
                    for (; r.next(); n++) sum += r.getInt(1);
                }
                say("fetch", "by 100: " + n + ", " + sum);
                p.setMaxRows(250);
                n = 0;
                try (ResultSet r = p.executeQuery()) {
                    while (r.next()) n++;
                }
                say("fetch", "at most 250: " + n);
            }
        }
        // Two portals at once.
        try (Statement a = c.createStatement(); Statement b = c.createStatement()) {
            a.setFetchSize(3);
            b.setFetchSize(7);
            try (ResultSet one = a.executeQuery("SELECT id FROM " + BIG); ResultSet two = b.executeQuery("SELECT id FROM " + BIG)) {
                int n = 0;
                while (one.next() && two.next() && n < 100) n++;
                say("fetch", "side by side: " + n);
            }
        }
        c.commit();
        c.setAutoCommit(true);
    }

    public static void main(String[] args) throws Exception {
        waysIn();
        try (Connection c = connect()) {
            execute(c, "SET statement_timeout = '60s'");
            ddl(c);
            execute(c, "INSERT INTO " + TYPED + " VALUES (" + ENV.get("VALUES") + ")");
            types(false, 8);
            types(true, 9);
            errors(c);
            notices(c);
            if (GATEWAY) slow(c);
            cancel(c);
            if (GATEWAY) cancelJob(c);
            fetch(c);
        }
        pool();
    }
}

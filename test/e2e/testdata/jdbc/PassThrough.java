import java.sql.*;
import java.util.*;

/** What a JDBC application does: prepared statements, transactions, metadata, errors, fetch size. */
public class PassThrough {
    static void check(boolean ok, String what) {
        if (!ok) throw new AssertionError(what);
    }

    public static void main(String[] args) throws Exception {
        try (Connection c = DriverManager.getConnection(args[0])) {
            metadata(c);
            prepared(c);
            transaction(c);
            error(c);
            fetchSize(c);
        }
        System.out.println("ok");
    }

    static void metadata(Connection c) throws SQLException {
        c.createStatement().execute("create table if not exists jdbc_item (id int primary key, name text)");
        Set<String> names = new TreeSet<>();
        try (ResultSet r = c.getMetaData().getTables(null, "public", "jdbc_%", new String[] {"TABLE"})) {
            while (r.next()) names.add(r.getString("TABLE_NAME"));
        }
        check(names.equals(Set.of("jdbc_item")), "tables " + names);
        try (ResultSet r = c.getMetaData().getPrimaryKeys(null, "public", "jdbc_item")) {
            check(r.next() && r.getString("COLUMN_NAME").equals("id"), "primary key");
        }
    }

    // After five executions pgjdbc names its statement and asks for binary results.
    static void prepared(Connection c) throws SQLException {
        try (PreparedStatement p = c.prepareStatement("select ?::int * 2, ?::text, now()")) {
            for (int i = 0; i < 12; i++) {
                p.setInt(1, i);
                p.setString(2, "row " + i);
                try (ResultSet r = p.executeQuery()) {
                    check(r.next() && r.getInt(1) == 2 * i && r.getString(2).equals("row " + i), "prepared " + i);
                }
            }
        }
    }

    static void transaction(Connection c) throws SQLException {
        c.setAutoCommit(false);
        c.createStatement().execute("insert into jdbc_item values (1, 'a')");
        Savepoint s = c.setSavepoint();
        c.createStatement().execute("insert into jdbc_item values (2, 'b')");
        c.rollback(s);
        c.commit();
        c.createStatement().execute("create table jdbc_gone (a int)");
        c.rollback();
        c.setAutoCommit(true);
        try (ResultSet r = c.createStatement().executeQuery("select count(*), to_regclass('jdbc_gone') from jdbc_item")) {
            check(r.next() && r.getInt(1) == 1 && r.getString(2) == null, "transaction");
        }
    }

    static void error(Connection c) throws SQLException {
        try {
            c.createStatement().execute("select * from nowhere");
            check(false, "no error");
        } catch (SQLException e) {
            check(e.getSQLState().equals("42P01"), e.getSQLState());
            check(e.getMessage().contains("Position: 15"), e.getMessage());
        }
    }

    static void fetchSize(Connection c) throws SQLException {
        c.setAutoCommit(false);
        try (Statement s = c.createStatement()) {
            s.setFetchSize(10);
            int n = 0;
            try (ResultSet r = s.executeQuery("select generate_series(1, 95)")) {
                while (r.next()) n++;
            }
            check(n == 95, "fetched " + n);
        }
        c.commit();
        c.setAutoCommit(true);
    }
}

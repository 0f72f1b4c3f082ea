import java.sql.*;
import java.util.*;

/** DDL on managed tables by JDBC: autocommit and transactions, notices, prepared statements, metadata. */
public class Tables {
    static void check(boolean ok, String what) {
        if (!ok) throw new AssertionError(what);
    }

    public static void main(String[] args) throws Exception {
        try (Connection c = DriverManager.getConnection(args[0])) {
            Statement s = c.createStatement();
            s.execute("create schema lake.j");
            s.execute("create table lake.j.item (id bigint primary key, price numeric(8,2), name text, at timestamptz)");
            SQLWarning w = s.getWarnings();
            check(w != null && w.getMessage().contains("not enforced"), "notice " + w);
            insert(c);
            select(c);
            transaction(c);
            error(c);
            metadata(c);
            s.execute("drop table lake.j.item");
            s.execute("drop schema lake.j");
        }
        System.out.println("ok");
    }

    static void insert(Connection c) throws SQLException {
        try (PreparedStatement p = c.prepareStatement("insert into lake.j.item values (?, ?, ?, ?)")) {
            for (int i = 0; i < 3; i++) {
                p.setLong(1, i);
                p.setBigDecimal(2, new java.math.BigDecimal("1.25"));
                p.setString(3, "item " + i);
                p.setTimestamp(4, Timestamp.valueOf("2026-05-0" + (i + 1) + " 12:00:00"));
                check(p.executeUpdate() == 1, "insert");
            }
        }
    }

    // After five executions pgjdbc names its statement and asks for binary results.
    static void select(Connection c) throws SQLException {
        try (PreparedStatement p = c.prepareStatement("select id, price, name from lake.j.item where id >= ? order by id")) {
            for (int i = 0; i < 8; i++) {
                p.setLong(1, 1);
                int n = 0;
                try (ResultSet r = p.executeQuery()) {
                    while (r.next()) {
                        n++;
                        check(r.getString("name").equals("item " + r.getLong("id")), "row " + n);
                        check(r.getBigDecimal("price").toPlainString().equals("1.25"), "price");
                    }
                }
                check(n == 2, "rows " + n);
            }
        }
        c.setAutoCommit(false);
        try (Statement s = c.createStatement()) {
            s.setFetchSize(2);
            int n = 0;
            try (ResultSet r = s.executeQuery("select id from lake.j.item")) {
                while (r.next()) n++;
            }
            check(n == 3, "fetched " + n);
        }
        c.commit();
        c.setAutoCommit(true);
    }

    static void transaction(Connection c) throws SQLException {
        c.setAutoCommit(false);
        c.createStatement().execute("create table lake.j.gone (a int)");
        c.rollback();
        c.createStatement().execute("create table lake.j.kept (a int)");
        c.createStatement().execute("create table if not exists public.version (v int)");
        c.createStatement().execute("insert into public.version values (1)");
        c.commit();
        c.setAutoCommit(true);
        try (ResultSet r = c.createStatement().executeQuery("select string_agg(distinct target, ',') from tablewright.jobs where kind = 'CREATE TABLE' and target like 'lake.j.%' and state = 'succeeded' and target <> 'lake.j.item'")) {
            check(r.next() && "lake.j.kept".equals(r.getString(1)), "tables " + r.getString(1));
        }
        c.createStatement().execute("drop table lake.j.kept");
        c.createStatement().execute("drop table public.version");
    }

    static void error(Connection c) throws SQLException {
        try {
            c.createStatement().execute("create table lake.j.bad (a point)");
            check(false, "no error");
        } catch (SQLException e) {
            check(e.getSQLState().equals("42804"), e.getSQLState());
            check(e.getMessage().contains("Position: 28"), e.getMessage());
        }
    }

    static void metadata(Connection c) throws SQLException {
        try (ResultSet r = c.getMetaData().getColumns(null, "lake.j", "item", "%")) {
            List<String> names = new ArrayList<>();
            while (r.next()) names.add(r.getString("COLUMN_NAME") + " " + r.getString("TYPE_NAME"));
            check(names.equals(List.of("id int8", "price numeric", "name text", "at timestamptz")), "columns " + names);
        }
    }
}

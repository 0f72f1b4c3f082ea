import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;

/** Prints the role that a connection has, or the SQLSTATE of its refusal. */
public class WhoAmI {
    public static void main(String[] args) throws Exception {
        try (Connection c = DriverManager.getConnection(args[0]);
             ResultSet r = c.createStatement().executeQuery("select session_user")) {
            r.next();
            System.out.println(r.getString(1));
        } catch (SQLException e) {
            System.out.println(e.getSQLState());
        }
    }
}

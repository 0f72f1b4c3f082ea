package route

import "sync"

// Rule is one line of the routing table.
type Rule struct {
	Node    string // of pg_query: SelectStmt
	SQL     string // the statement
	Home    Route  // when nothing managed is named
	Managed Route  // when something managed is named
	Note    string // what decides more exactly, for the table
	Hint    string // of a refusal

	refine func(*question) Decision
}

// Rules are all lines of the routing table, in its order.
func Rules() []Rule {
	var all []Rule
	for _, group := range [][]Rule{
		rowRules(), tableRules(), relationRules(), catalogRules(), roleRules(),
		sessionRules(), homeRules(), innerRules(),
	} {
		all = append(all, group...)
	}
	return all
}

//nolint:gochecknoglobals // built once, never changed
var rules = sync.OnceValue(func() map[string]Rule {
	all := Rules()
	byNode := make(map[string]Rule, len(all))
	for _, rule := range all {
		byNode[rule.Node] = rule
	}
	return byNode
})

// rowRules: statements on rows.
func rowRules() []Rule {
	const database = "Rows of managed tables are read by SELECT and added by INSERT … VALUES."
	return []Rule{
		{
			Node: "SelectStmt", SQL: "SELECT", Home: Home, Managed: HomeRewritten, refine: selectStmt,
			Note: "rows of one managed relation; several, INTO, FOR UPDATE and changing CTEs are refused",
		},
		{
			Node: "InsertStmt", SQL: "INSERT", Home: Home, Managed: HomeRewritten, refine: insertStmt,
			Note: "VALUES into one managed relation; SELECT, ON CONFLICT and RETURNING are refused",
		},
		{Node: "UpdateStmt", SQL: "UPDATE", Home: Home, Managed: Refused, Hint: database},
		{Node: "DeleteStmt", SQL: "DELETE", Home: Home, Managed: Refused, Hint: database},
		{Node: "MergeStmt", SQL: "MERGE", Home: Home, Managed: Refused, Hint: database},
		{Node: "TruncateStmt", SQL: "TRUNCATE", Home: Home, Managed: Refused, Hint: "Use DROP TABLE and CREATE TABLE."},
		{Node: "CopyStmt", SQL: "COPY", Home: Home, Managed: Refused, refine: copyStmt},
		{Node: "LockStmt", SQL: "LOCK TABLE", Home: Home, Managed: Refused, Hint: "External tables are not locked."},
		{
			Node: "DeclareCursorStmt", SQL: "DECLARE CURSOR", Home: Home, Managed: Refused,
			Hint: "Use a portal of the extended protocol with a row limit.",
		},
		{
			Node: "PrepareStmt", SQL: "PREPARE", Home: Home, Managed: Refused,
			Hint: "Use a prepared statement of the extended protocol.",
		},
		{
			Node: "ExplainStmt", SQL: "EXPLAIN of a query", Home: Home, Managed: Refused,
			Hint: "EXPLAIN shows the plans of statements that define objects.",
		},
		{Node: "CallStmt", SQL: "CALL", Home: Home, Managed: Home},
		{Node: "DoStmt", SQL: "DO", Home: Home, Managed: Home, Note: "its text is not read; the guard and the wall stand behind it"},
	}
}

// tableRules: statements that make, change and drop tables.
func tableRules() []Rule {
	return []Rule{
		{
			Node: "CreateStmt", SQL: "CREATE TABLE", Home: Home, Managed: Ours, refine: createStmt,
			Note: "a home table may copy a managed one by LIKE (names replaced), not refer to or inherit from it (refused)",
		},
		{Node: "CreateTableAsStmt", SQL: "CREATE TABLE AS", Home: Home, Managed: Refused, refine: createTableAs, Hint: ctasHint},
		{
			Node: "DropStmt", SQL: "DROP", Home: Home, Managed: Ours, refine: dropStmt,
			Note: "tables, schemas and servers; indexes, triggers, rules, policies and statistics are refused, other kinds go home",
		},
		{
			Node: "AlterTableStmt", SQL: "ALTER TABLE", Home: Home, Managed: Ours, refine: alterTable,
			Note: "ALTER VIEW and the like on a table: home, whose error it is",
		},
		{
			Node: "RenameStmt", SQL: "ALTER … RENAME", Home: Home, Managed: Ours, refine: renameStmt,
			Note: "catalogs, tables, their columns and constraints; schemas are refused",
		},
		{
			Node: "AlterObjectSchemaStmt", SQL: "ALTER … SET SCHEMA", Home: Home, Managed: Refused,
			Hint: "A table stays in its schema.",
		},
		{
			Node: "AlterOwnerStmt", SQL: "ALTER … OWNER TO", Home: Home, Managed: Refused, refine: alterOwner,
			Note: "of a server: ours",
		},
		{Node: "AlterObjectDependsStmt", SQL: "ALTER … DEPENDS ON EXTENSION", Home: Home, Managed: Refused},
		{Node: "AlterTableMoveAllStmt", SQL: "ALTER … ALL IN TABLESPACE", Home: Home, Managed: Home},
		{
			Node: "CommentStmt", SQL: "COMMENT ON", Home: Home, Managed: Ours, refine: commentStmt,
			Note: "catalogs (servers), tables and columns; other kinds are refused",
		},
		{Node: "SecLabelStmt", SQL: "SECURITY LABEL", Home: Home, Managed: Refused},
		{
			Node: "ViewStmt", SQL: "CREATE VIEW", Home: Home, Managed: HomeRewritten, refine: viewStmt,
			Note: "in a home schema, over managed tables too; in the schema of a catalog refused",
		},
		{Node: "RefreshMatViewStmt", SQL: "REFRESH MATERIALIZED VIEW", Home: Home, Managed: Refused, Hint: "Create a view."},
	}
}

// relationRules: what depends on a table. Only a view may depend on a managed one.
func relationRules() []Rule {
	const dependents = "Only a view may depend on a managed table."
	return []Rule{
		{Node: "IndexStmt", SQL: "CREATE INDEX", Home: Home, Managed: Refused, Hint: dependents},
		{Node: "CreateTrigStmt", SQL: "CREATE TRIGGER", Home: Home, Managed: Refused, Hint: dependents},
		{Node: "RuleStmt", SQL: "CREATE RULE", Home: Home, Managed: Refused, Hint: dependents},
		{Node: "CreatePolicyStmt", SQL: "CREATE POLICY", Home: Home, Managed: Refused, Hint: dependents},
		{Node: "AlterPolicyStmt", SQL: "ALTER POLICY", Home: Home, Managed: Refused, Hint: dependents},
		{Node: "CreateStatsStmt", SQL: "CREATE STATISTICS", Home: Home, Managed: Refused, Hint: dependents},
		{Node: "AlterStatsStmt", SQL: "ALTER STATISTICS", Home: Home, Managed: Home},
		{Node: "CreatePublicationStmt", SQL: "CREATE PUBLICATION", Home: Home, Managed: Refused, Hint: dependents},
		{Node: "AlterPublicationStmt", SQL: "ALTER PUBLICATION", Home: Home, Managed: Refused, Hint: dependents},
		{Node: "CreateSeqStmt", SQL: "CREATE SEQUENCE", Home: Home, Managed: Refused, Hint: dependents},
		{Node: "AlterSeqStmt", SQL: "ALTER SEQUENCE", Home: Home, Managed: Refused, Hint: dependents},
		{Node: "CreateFunctionStmt", SQL: "CREATE FUNCTION with a body that is parsed", Home: Home, Managed: Refused, Hint: dependents},
		{Node: "VacuumStmt", SQL: "VACUUM or ANALYZE", Home: Home, Managed: Refused, Hint: "External tables keep their own statistics."},
		{Node: "ClusterStmt", SQL: "CLUSTER", Home: Home, Managed: Refused},
		{Node: "ReindexStmt", SQL: "REINDEX", Home: Home, Managed: Refused},
		{Node: "ReplicaIdentityStmt", SQL: "ALTER TABLE … REPLICA IDENTITY", Home: Home, Managed: Refused},
	}
}

// catalogRules: catalogs, which are foreign servers at home, and their schemas.
func catalogRules() []Rule {
	const catalogs = "Use REFRESH CATALOG."
	return []Rule{
		{Node: "CreateSchemaStmt", SQL: "CREATE SCHEMA", Home: Home, Managed: Ours, Note: "ours for a name like \"lake.sales\""},
		{
			Node: "CreateForeignServerStmt", SQL: "CREATE SERVER", Home: Home, Managed: Home,
			Note: "ours with a wrapper of one of our types: a spelling of CREATE CATALOG",
		},
		{Node: "AlterForeignServerStmt", SQL: "ALTER SERVER", Home: Home, Managed: Ours, Note: "a spelling of ALTER CATALOG"},
		{Node: "CreateForeignTableStmt", SQL: "CREATE FOREIGN TABLE", Home: Home, Managed: Refused, Hint: "Use CREATE TABLE."},
		{Node: "ImportForeignSchemaStmt", SQL: "IMPORT FOREIGN SCHEMA", Home: Home, Managed: Refused, Hint: catalogs},
		{
			Node: "CreateUserMappingStmt", SQL: "CREATE USER MAPPING", Home: Home, Managed: Refused,
			Hint: "Credentials are options of the catalog.",
		},
		{
			Node: "AlterUserMappingStmt", SQL: "ALTER USER MAPPING", Home: Home, Managed: Refused,
			Hint: "Credentials are options of the catalog.",
		},
		{Node: "DropUserMappingStmt", SQL: "DROP USER MAPPING", Home: Home, Managed: Home},
		{
			Node: "CreatedbStmt", SQL: "CREATE DATABASE without a type", Home: Refused, Managed: Refused,
			Hint: "Use CREATE CATALOG n WITH (type = …) for an external system, CREATE SCHEMA for a namespace.",
		},
		{Node: "DropdbStmt", SQL: "DROP DATABASE", Home: Home, Managed: Ours, Note: "ours for a catalog: a spelling of DROP CATALOG"},
	}
}

// roleRules: roles and rights, which are the home database's.
func roleRules() []Rule {
	const admin = "a member of admin's is run with the gateway's right, after checks of its own"
	return []Rule{
		{Node: "GrantStmt", SQL: "GRANT and REVOKE", Home: Home, Managed: HomeRewritten},
		{Node: "GrantRoleStmt", SQL: "GRANT and REVOKE of roles", Home: Home, Managed: Home, Note: admin},
		{Node: "CreateRoleStmt", SQL: "CREATE ROLE", Home: Home, Managed: Home, Note: admin},
		{Node: "AlterRoleStmt", SQL: "ALTER ROLE", Home: Home, Managed: Home, Note: admin},
		{Node: "AlterRoleSetStmt", SQL: "ALTER ROLE … SET", Home: Home, Managed: Home},
		{Node: "DropRoleStmt", SQL: "DROP ROLE", Home: Home, Managed: Home, Note: admin},
		{Node: "AlterDefaultPrivilegesStmt", SQL: "ALTER DEFAULT PRIVILEGES", Home: Home, Managed: Home},
		{Node: "DropOwnedStmt", SQL: "DROP OWNED", Home: Home, Managed: Home, Note: "the guard refuses it when it touches managed objects"},
		{Node: "ReassignOwnedStmt", SQL: "REASSIGN OWNED", Home: Home, Managed: Home, Note: "names no object"},
	}
}

package route

// home makes rules of statements that never name anything managed.
func home(lines ...[2]string) []Rule {
	rules := make([]Rule, len(lines))
	for i, line := range lines {
		rules[i] = Rule{Node: line[0], SQL: line[1], Home: Home, Managed: Home}
	}
	return rules
}

// sessionRules: statements on the session.
func sessionRules() []Rule {
	return home(
		[2]string{"TransactionStmt", "BEGIN, COMMIT, ROLLBACK, SAVEPOINT"},
		[2]string{"VariableSetStmt", "SET and RESET"},
		[2]string{"VariableShowStmt", "SHOW"},
		[2]string{"DiscardStmt", "DISCARD"},
		[2]string{"ConstraintsSetStmt", "SET CONSTRAINTS"},
		[2]string{"ExecuteStmt", "EXECUTE"},
		[2]string{"DeallocateStmt", "DEALLOCATE"},
		[2]string{"FetchStmt", "FETCH and MOVE"},
		[2]string{"ClosePortalStmt", "CLOSE"},
		[2]string{"ListenStmt", "LISTEN"},
		[2]string{"NotifyStmt", "NOTIFY"},
		[2]string{"UnlistenStmt", "UNLISTEN"},
		[2]string{"LoadStmt", "LOAD"},
		[2]string{"CheckPointStmt", "CHECKPOINT"},
		[2]string{"AlterSystemStmt", "ALTER SYSTEM"},
	)
}

// homeRules: statements on objects that only the home database has.
func homeRules() []Rule {
	return home(
		[2]string{"AlterDatabaseStmt", "ALTER DATABASE"},
		[2]string{"AlterDatabaseSetStmt", "ALTER DATABASE … SET"},
		[2]string{"AlterDatabaseRefreshCollStmt", "ALTER DATABASE … REFRESH COLLATION VERSION"},
		[2]string{"CreateTableSpaceStmt", "CREATE TABLESPACE"},
		[2]string{"DropTableSpaceStmt", "DROP TABLESPACE"},
		[2]string{"AlterTableSpaceOptionsStmt", "ALTER TABLESPACE"},
		[2]string{"CreateFdwStmt", "CREATE FOREIGN DATA WRAPPER"},
		[2]string{"AlterFdwStmt", "ALTER FOREIGN DATA WRAPPER"},
		[2]string{"CreateExtensionStmt", "CREATE EXTENSION"},
		[2]string{"AlterExtensionStmt", "ALTER EXTENSION"},
		[2]string{"AlterExtensionContentsStmt", "ALTER EXTENSION … ADD, DROP"},
		[2]string{"CreateEventTrigStmt", "CREATE EVENT TRIGGER"},
		[2]string{"AlterEventTrigStmt", "ALTER EVENT TRIGGER"},
		[2]string{"CreateSubscriptionStmt", "CREATE SUBSCRIPTION"},
		[2]string{"AlterSubscriptionStmt", "ALTER SUBSCRIPTION"},
		[2]string{"DropSubscriptionStmt", "DROP SUBSCRIPTION"},
		[2]string{"AlterFunctionStmt", "ALTER FUNCTION"},
		[2]string{"CreateDomainStmt", "CREATE DOMAIN"},
		[2]string{"AlterDomainStmt", "ALTER DOMAIN"},
		[2]string{"CreateEnumStmt", "CREATE TYPE AS ENUM"},
		[2]string{"AlterEnumStmt", "ALTER TYPE … ADD VALUE"},
		[2]string{"CompositeTypeStmt", "CREATE TYPE AS (…)"},
		[2]string{"CreateRangeStmt", "CREATE TYPE AS RANGE"},
		[2]string{"AlterTypeStmt", "ALTER TYPE … SET"},
		[2]string{"DefineStmt", "CREATE AGGREGATE, COLLATION, OPERATOR, TYPE, TEXT SEARCH"},
		[2]string{"AlterCollationStmt", "ALTER COLLATION"},
		[2]string{"CreateCastStmt", "CREATE CAST"},
		[2]string{"CreateConversionStmt", "CREATE CONVERSION"},
		[2]string{"CreateTransformStmt", "CREATE TRANSFORM"},
		[2]string{"CreateOpClassStmt", "CREATE OPERATOR CLASS"},
		[2]string{"CreateOpFamilyStmt", "CREATE OPERATOR FAMILY"},
		[2]string{"AlterOpFamilyStmt", "ALTER OPERATOR FAMILY"},
		[2]string{"AlterOperatorStmt", "ALTER OPERATOR"},
		[2]string{"CreateAmStmt", "CREATE ACCESS METHOD"},
		[2]string{"CreatePLangStmt", "CREATE LANGUAGE"},
		[2]string{"AlterTSDictionaryStmt", "ALTER TEXT SEARCH DICTIONARY"},
		[2]string{"AlterTSConfigurationStmt", "ALTER TEXT SEARCH CONFIGURATION"},
	)
}

// innerRules: nodes that are no statements of their own; they stand for nothing that a client can send.
func innerRules() []Rule {
	rules := home(
		[2]string{"RawStmt", "wraps a statement"},
		[2]string{"SetOperationStmt", "part of an analysed query"},
		[2]string{"ReturnStmt", "RETURN, in the body of a function"},
		[2]string{"PLAssignStmt", "an assignment, in PL/pgSQL"},
	)
	for i := range rules {
		rules[i].Note = "never a statement of its own"
	}
	return rules
}

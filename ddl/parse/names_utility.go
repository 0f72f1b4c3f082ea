package parse

import pg_query "github.com/pganalyze/pg_query_go/v6"

// utility walks the statements whose names are not all RangeVars that they change.
func (w *nameWalk) utility(message any, state walkState) bool {
	switch m := message.(type) {
	case *pg_query.CreateStmt:
		w.createStmt(m)
	case *pg_query.ViewStmt:
		w.made(m.GetView())
		w.node(m.GetQuery(), state)
	case *pg_query.CreateSeqStmt:
		w.made(m.GetSequence())
		w.nodes(m.GetOptions(), state)
	case *pg_query.TableLikeClause:
		w.relation(m.GetRelation(), walkState{role: Like})
	case *pg_query.Constraint:
		w.relation(m.GetPktable(), walkState{role: References})
		w.node(m.GetRawExpr(), state)
	case *pg_query.CreateTrigStmt:
		w.relation(m.GetRelation(), state)
		w.relation(m.GetConstrrel(), walkState{role: References})
		w.node(m.GetWhenClause(), state)
	case *pg_query.DefElem:
		return w.ownedBy(m)
	default:
		return w.objects(message, state)
	}
	return true
}

func (w *nameWalk) createStmt(m *pg_query.CreateStmt) {
	w.made(m.GetRelation())
	w.nodes(m.GetInhRelations(), walkState{role: Parent})
	w.nodes(m.GetTableElts(), walkState{role: Target})
	w.nodes(m.GetConstraints(), walkState{role: Target})
}

// ownedBy is OWNED BY table.column of a sequence.
func (w *nameWalk) ownedBy(m *pg_query.DefElem) bool {
	if m.GetDefname() != "owned_by" {
		return false
	}
	w.strings(stringParts(m.GetArg()), 1, RelationName, References)
	return true
}

// objects walks the statements that name objects by strings.
func (w *nameWalk) objects(message any, state walkState) bool {
	switch m := message.(type) {
	case *pg_query.DropStmt:
		for _, object := range m.GetObjects() {
			w.object(m.GetRemoveType(), object, Target)
		}
	case *pg_query.CommentStmt:
		w.object(m.GetObjtype(), m.GetObject(), Target)
	case *pg_query.SecLabelStmt:
		w.object(m.GetObjtype(), m.GetObject(), Target)
	case *pg_query.AlterOwnerStmt:
		w.relation(m.GetRelation(), state)
		w.object(m.GetObjectType(), m.GetObject(), Target)
	case *pg_query.AlterObjectSchemaStmt:
		w.relation(m.GetRelation(), state)
		w.object(m.GetObjectType(), m.GetObject(), Target)
		w.strings([]string{m.GetNewschema()}, 0, SchemaName, Target)
	case *pg_query.RenameStmt:
		w.relation(m.GetRelation(), state)
		w.object(m.GetRenameType(), m.GetObject(), Target)
		if m.GetRenameType() == pg_query.ObjectType_OBJECT_SCHEMA {
			w.strings([]string{m.GetSubname()}, 0, SchemaName, Target)
		}
	case *pg_query.GrantStmt:
		w.grant(m)
	default:
		return w.named(message)
	}
	return true
}

func (w *nameWalk) grant(m *pg_query.GrantStmt) {
	kind := m.GetObjtype()
	if m.GetTargtype() == pg_query.GrantTargetType_ACL_TARGET_ALL_IN_SCHEMA {
		kind = pg_query.ObjectType_OBJECT_SCHEMA
	}
	for _, object := range m.GetObjects() {
		if rv := object.GetRangeVar(); rv != nil {
			w.relation(rv, walkState{role: Granted})
			continue
		}
		w.object(kind, object, Granted)
	}
}

// named walks the statements that have a schema's or a server's name as a plain string.
func (w *nameWalk) named(message any) bool {
	switch m := message.(type) {
	case *pg_query.CreateSchemaStmt:
		w.strings([]string{m.GetSchemaname()}, 0, SchemaName, Target)
		w.nodes(m.GetSchemaElts(), walkState{role: Target})
	case *pg_query.ReindexStmt:
		w.relation(m.GetRelation(), walkState{role: Target})
		if m.GetKind() == pg_query.ReindexObjectType_REINDEX_OBJECT_SCHEMA {
			w.strings([]string{m.GetName()}, 0, SchemaName, Target)
		}
	case *pg_query.ImportForeignSchemaStmt:
		w.strings([]string{m.GetServerName()}, 0, CatalogName, Target)
		w.strings([]string{m.GetLocalSchema()}, 0, SchemaName, Target)
	case *pg_query.CreateForeignServerStmt:
		w.strings([]string{m.GetServername()}, 0, CatalogName, Target)
	case *pg_query.AlterForeignServerStmt:
		w.strings([]string{m.GetServername()}, 0, CatalogName, Target)
	case *pg_query.CreateForeignTableStmt:
		w.createStmt(m.GetBaseStmt())
		w.strings([]string{m.GetServername()}, 0, CatalogName, Target)
	case *pg_query.CreateUserMappingStmt:
		w.strings([]string{m.GetServername()}, 0, CatalogName, Target)
	case *pg_query.AlterUserMappingStmt:
		w.strings([]string{m.GetServername()}, 0, CatalogName, Target)
	case *pg_query.DropUserMappingStmt:
		w.strings([]string{m.GetServername()}, 0, CatalogName, Target)
	case *pg_query.DropdbStmt:
		w.strings([]string{m.GetDbname()}, 0, CatalogName, Target)
	case *pg_query.PublicationObjSpec:
		w.strings([]string{m.GetName()}, 0, SchemaName, Target)
		w.relation(m.GetPubtable().GetRelation(), walkState{role: Target})
	default:
		return false
	}
	return true
}

// object adds the name of an object that is given as a List of Strings or a String, by its kind.
func (w *nameWalk) object(kind pg_query.ObjectType, object *pg_query.Node, role Role) {
	parts := stringParts(object)
	switch kind {
	case pg_query.ObjectType_OBJECT_TABLE, pg_query.ObjectType_OBJECT_VIEW, pg_query.ObjectType_OBJECT_MATVIEW,
		pg_query.ObjectType_OBJECT_INDEX, pg_query.ObjectType_OBJECT_SEQUENCE,
		pg_query.ObjectType_OBJECT_FOREIGN_TABLE, pg_query.ObjectType_OBJECT_STATISTIC_EXT:
		w.strings(parts, 0, RelationName, role)
	case pg_query.ObjectType_OBJECT_COLUMN:
		w.strings(parts, 1, RelationName, role)
	case pg_query.ObjectType_OBJECT_TRIGGER, pg_query.ObjectType_OBJECT_RULE, pg_query.ObjectType_OBJECT_POLICY,
		pg_query.ObjectType_OBJECT_TABCONSTRAINT:
		w.onRelation(parts, role)
	case pg_query.ObjectType_OBJECT_SCHEMA:
		w.strings(parts, 0, SchemaName, role)
	case pg_query.ObjectType_OBJECT_FOREIGN_SERVER:
		w.strings(parts, 0, CatalogName, role)
	default:
		// Other kinds are never managed.
	}
}

// strings adds a name without a location; the last tail parts are no parts of it.
func (w *nameWalk) strings(parts []string, tail int, kind NameKind, role Role) {
	if len(parts) <= tail || parts[0] == "" {
		return
	}
	parts = parts[:len(parts)-tail]
	uncut, span, next := w.st.findName(parts, tail, w.from)
	w.from = next
	w.names = append(w.names, Name{Parts: uncut, Kind: kind, Role: role, Span: span})
}

// onRelation adds the relation of `name ON relation`: a list of the relation's parts and the name.
func (w *nameWalk) onRelation(parts []string, role Role) {
	if len(parts) < 2 {
		return
	}
	from := w.from
	for i := from; i < len(w.st.tokens); i++ {
		if w.st.Word(i) == "on" && i > 1 {
			from = i + 1
			break
		}
	}
	uncut, span, next := w.st.findName(parts[:len(parts)-1], 0, from)
	w.from = next
	w.names = append(w.names, Name{Parts: uncut, Kind: RelationName, Role: role, Span: span})
}

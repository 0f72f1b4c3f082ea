// Package role takes statements on roles apart: whom they are about, what they give, and a text of theirs
// that holds no password.
package role

import (
	"fmt"
	"slices"

	pg_query "github.com/pganalyze/pg_query_go/v6"

	"github.com/tablewright/tablewright/ddl/parse"
	"github.com/tablewright/tablewright/ddl/sqlerr"
)

// Change is what a statement on roles does.
type Change struct {
	Tag string
	// Text is the statement with a verifier in place of a password.
	Text string
	// Subjects are the roles that are changed, Granted those whose rights somebody gets or loses, Ended those
	// that are dropped or get another name.
	Subjects, Granted, Ended []string
	// Own tells that the statement names the current user without saying who that is: it can only be run as
	// that user.
	Own bool
	// Refused is why nobody but a superuser may do this; nil when others may.
	Refused *sqlerr.Error
}

// Is tells whether a statement is one on roles.
func Is(st *parse.Statement) bool {
	n := st.Node
	return n.GetCreateRoleStmt() != nil || n.GetAlterRoleStmt() != nil || n.GetDropRoleStmt() != nil ||
		n.GetGrantRoleStmt() != nil || n.GetRenameStmt().GetRenameType() == pg_query.ObjectType_OBJECT_ROLE
}

// Of takes a statement apart. verifier makes what is stored of a password.
func Of(st *parse.Statement, verifier func(password string) (string, error)) (*Change, error) {
	c := &Change{Text: st.Text}
	switch n := st.Node; {
	case n.GetCreateRoleStmt() != nil:
		create := n.GetCreateRoleStmt()
		c.Tag = "CREATE ROLE"
		return c, c.options(st, create.GetOptions(), verifier)
	case n.GetAlterRoleStmt() != nil:
		alter := n.GetAlterRoleStmt()
		c.Tag = "ALTER ROLE"
		c.Subjects = c.names(alter.GetRole())
		return c, c.options(st, alter.GetOptions(), verifier)
	case n.GetDropRoleStmt() != nil:
		c.Tag = "DROP ROLE"
		c.Ended = c.specs(n.GetDropRoleStmt().GetRoles())
	case n.GetGrantRoleStmt() != nil:
		c.grant(n.GetGrantRoleStmt())
	default:
		c.Tag = "ALTER ROLE"
		c.Ended = []string{n.GetRenameStmt().GetSubname()}
	}
	return c, nil
}

// names is the role that a specification names. One that stands for whoever runs the statement has none.
func (c *Change) names(spec *pg_query.RoleSpec) []string {
	if spec.GetRoletype() != pg_query.RoleSpecType_ROLESPEC_CSTRING {
		c.Own = true
		return nil
	}
	return []string{spec.GetRolename()}
}

func (c *Change) specs(nodes []*pg_query.Node) []string {
	var names []string
	for _, n := range nodes {
		names = append(names, c.names(n.GetRoleSpec())...)
	}
	return names
}

func (c *Change) grant(g *pg_query.GrantRoleStmt) {
	c.Tag = "GRANT ROLE"
	if !g.GetIsGrant() {
		c.Tag = "REVOKE ROLE"
	}
	for _, n := range g.GetGrantedRoles() {
		c.Granted = append(c.Granted, n.GetAccessPriv().GetPrivName())
	}
	c.specs(g.GetGranteeRoles())
	if g.GetGrantor() != nil {
		c.Refused = sqlerr.New(sqlerr.FeatureNotSupported, "GRANTED BY is not supported").
			WithHint("Leave it out: the gateway grants on behalf of administrators.")
	}
}

// attributes are those that make a role more than an administrator of the gateway is, and what PostgreSQL
// calls them.
func attribute(name string) string {
	switch name {
	case "superuser", "createdb", "createrole", "bypassrls":
		return name
	case "isreplication":
		return "replication"
	default:
		return ""
	}
}

func (c *Change) options(st *parse.Statement, options []*pg_query.Node, verifier func(string) (string, error)) error {
	for _, n := range options {
		o := n.GetDefElem()
		switch o.GetDefname() {
		case "addroleto":
			c.Granted = append(c.Granted, c.specs(o.GetArg().GetList().GetItems())...)
		case "rolemembers", "adminmembers":
			c.specs(o.GetArg().GetList().GetItems())
		case "password":
			if err := c.hide(st, o, verifier); err != nil {
				return err
			}
		}
		if name := attribute(o.GetDefname()); name != "" && o.GetArg().GetBoolean().GetBoolval() {
			c.Refused = sqlerr.New(sqlerr.InsufficientPrivilege, "permission denied to give a role the attribute %s", name).
				WithDetail("Administrators of the gateway do not have it themselves.").At(st.Position(int(o.GetLocation())))
		}
	}
	return nil
}

// hide puts the verifier in place of a password.
func (c *Change) hide(st *parse.Statement, o *pg_query.DefElem, verifier func(string) (string, error)) error {
	password := o.GetArg().GetString_()
	if password == nil || password.GetSval() == "" {
		return nil // PASSWORD NULL; an empty one is PostgreSQL's to judge
	}
	stored, err := verifier(password.GetSval())
	if err != nil {
		return err
	}
	tree, err := pg_query.Parse("") // an empty tree of the library's version
	if err != nil {
		return fmt.Errorf("text of %s: %w", c.Tag, err)
	}
	given := password.Sval
	password.Sval = stored
	defer func() { password.Sval = given }() // the tree may be used again
	tree.Stmts = []*pg_query.RawStmt{{Stmt: st.Node}}
	if c.Text, err = pg_query.Deparse(tree); err != nil {
		return fmt.Errorf("text of %s: %w", c.Tag, err)
	}
	return nil
}

// Roles are all that a statement names and that must be no more than an administrator.
func (c *Change) Roles() []string { return slices.Concat(c.Subjects, c.Granted, c.Ended) }

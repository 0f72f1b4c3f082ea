package session

import (
	"context"

	"github.com/tablewright/tablewright/ddl/catalog"
	"github.com/tablewright/tablewright/ddl/parse"
	"github.com/tablewright/tablewright/ddl/plan"
	"github.com/tablewright/tablewright/ddl/route"
	"github.com/tablewright/tablewright/ddl/sqlerr"
	"github.com/tablewright/tablewright/deploy"
)

type rowsPlan struct{}
type reading struct{}

func (p *portal) close() {}

func (s *Session) bindRead(ctx context.Context, p *portal) error     { return nil }
func (s *Session) describeRead(ctx context.Context, p *portal) error { return nil }
func (s *Session) runPortal(ctx context.Context, e *execution) error { return nil }
func (s *Session) standInForRows(st *routed, p ParseRequest, d route.Decision, snap *catalog.Snapshot) (string, error) {
	return "", sqlerr.New(sqlerr.FeatureNotSupported, "SELECT")
}
func (s *Session) runRows(ctx context.Context, st *routed, d route.Decision, snap *catalog.Snapshot, e *execution) error {
	return sqlerr.New(sqlerr.FeatureNotSupported, "SELECT")
}
func (s *Session) dryRun(ctx context.Context, p *plan.Plan, settings deploy.Settings) error {
	return nil
}

func shadowed(*parse.Statement, *catalog.Snapshot) (*plan.Rewrite, error) {
	return nil, sqlerr.New("0A000", "x")
}

package session

import (
	"context"

	"github.com/tablewright/tablewright/ddl/parse"
	"github.com/tablewright/tablewright/ddl/sqlerr"
)

func (s *Session) runExplain(ctx context.Context, st *routed, ext *parse.Explain, e *execution) error {
	return sqlerr.New(sqlerr.FeatureNotSupported, "EXPLAIN of DDL")
}

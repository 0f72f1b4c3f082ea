package session

import (
	"context"
	"encoding/json"

	"github.com/tablewright/tablewright/ddl/catalog"
	"github.com/tablewright/tablewright/home"
)

// standingQuery is what the transaction sees of catalogs now, whether it has changed them itself, and whether a job is
// at work on one of the objects.
const standingQuery = "select tablewright.standing($1::pg_catalog.text::pg_catalog.jsonb, $2::pg_catalog.text::pg_catalog.jsonb)"

const readCommitted = "read committed"

// standing is its answer.
type standing struct {
	Isolation string                `json:"isolation"`
	Catalogs  []home.CatalogVersion `json:"catalogs"`
	Busy      bool                  `json:"busy"`
}

// idle tells whether no job is at work on the objects. A transaction with a snapshot of its own cannot know; nil does
// not either.
func (seen *standing) idle() bool {
	return seen != nil && !seen.Busy && seen.Isolation == readCommitted
}

// addStanding asks how things stand when what was added before has been done. Targets that stand for all in a catalog
// or schema are not known to home: of them only the history can tell.
func (s *Session) addStanding(x *exchange, catalogs []catalog.Catalog, targets []string) error {
	names, err := json.Marshal(catalogNames(catalogs))
	if err != nil {
		return err
	}
	about, err := json.Marshal(append([]string{}, targets...))
	if err != nil {
		return err
	}
	return s.addQuery(x, standingQuery, [][]byte{names, about})
}

func readStanding(row [][]byte) (*standing, error) {
	var seen standing
	if err := json.Unmarshal(row[0], &seen); err != nil {
		return nil, err
	}
	return &seen, nil
}

// standing asks how catalogs stand now.
func (s *Session) standing(ctx context.Context, catalogs []catalog.Catalog) (*standing, error) {
	x := newExchange(s.client)
	if err := s.addStanding(x, catalogs, nil); err != nil {
		return nil, err
	}
	r, err := s.collect(ctx, x)
	if err != nil {
		return nil, withoutPosition(err)
	}
	return readStanding(r.Rows[0])
}

func catalogNames(catalogs []catalog.Catalog) []string {
	names := make([]string, len(catalogs))
	for i, c := range catalogs {
		names[i] = c.Name
	}
	return names
}

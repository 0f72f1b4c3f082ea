package server

import (
	"github.com/tablewright/tablewright/ddl/sqlerr"
	"github.com/tablewright/tablewright/home"
)

// admission is a client that may come in.
type admission struct {
	keys  *home.ScramKeys
	leave func() // must be called when it has left
}

// enter counts a session of a role. connLimit is the role's own limit, -1 for none; the home database
// holds to it too, but is not asked before the first statement.
func (s *Server) enter(user string, connLimit int) (leave func(), err error) {
	limit := s.opts.Limits.SessionsPerUserMax
	if connLimit >= 0 && (limit == 0 || connLimit < limit) {
		limit = connLimit
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if (connLimit >= 0 || limit > 0) && s.users[user] >= limit {
		return nil, sqlerr.New(sqlerr.TooManyConnections, "too many connections for role \"%s\"", user)
	}
	s.users[user]++
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.users[user]--; s.users[user] == 0 {
			delete(s.users, user)
		}
	}, nil
}

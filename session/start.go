package session

import (
	"context"
	"maps"
	"slices"
	"strings"
)

// Start returns the settings that the client is told before its first statement. fresh are those of a
// session without startup parameters of its own. A client that asks for settings is connected to the
// home database now, which alone can judge them; others are when they first need it.
func (s *Session) Start(ctx context.Context, fresh map[string]string) (map[string]string, error) {
	s.reported = maps.Clone(fresh)
	s.reported["session_authorization"] = s.User
	if !s.plainStart() {
		// What is reported is what the home session reports; nothing needs to be sent twice.
		s.reported = nil
		if err := s.open(ctx); err != nil {
			return nil, err
		}
		s.reported = maps.Clone(s.backend.link.Parameters)
	}
	return s.reported, nil
}

// plainStart tells whether the startup parameters leave no doubt about what the home session will
// report, and notes the one that may be among them.
func (s *Session) plainStart() bool {
	for name, value := range s.Parameters {
		switch strings.ToLower(name) {
		case "application_name":
			if !isPlainASCII(value) {
				return false
			}
			s.reported["application_name"] = value
		case "client_encoding":
			if !strings.EqualFold(value, s.reported["client_encoding"]) {
				return false
			}
		default:
			return false
		}
	}
	return true
}

func isPlainASCII(s string) bool {
	for i := range len(s) {
		if s[i] < ' ' || s[i] > '~' {
			return false
		}
	}
	return len(s) < 64
}

// report tells the client of settings whose values are not those that it was told at the start.
func (s *Session) report(now map[string]string) error {
	if s.reported == nil {
		return nil
	}
	for _, name := range slices.Sorted(maps.Keys(now)) {
		if s.reported[name] == now[name] {
			continue
		}
		if err := s.client.Send(ParameterStatus{name, now[name]}); err != nil {
			return err
		}
	}
	return nil
}

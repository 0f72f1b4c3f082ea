package postmaster

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
)

// loginWorks tries one login of the bootstrap role. While the server recovers it answers 57P03.
func (p *Postmaster) loginWorks(ctx context.Context) bool {
	ctx, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	// All that matters is given here, so that no PG variable of this process changes where it leads.
	config, err := pgconn.ParseConfig("host='" + quoteValue(p.layout.socket) + "' port=5432 user=" + Superuser +
		" dbname=postgres sslmode=disable target_session_attrs=any channel_binding=disable require_auth=''")
	if err != nil {
		p.opts.Log.Error().Err(err).Msg("login at the home database")
		return false
	}
	config.RuntimeParams = map[string]string{}
	conn, err := pgconn.ConnectConfig(ctx, config)
	if err != nil {
		return false
	}
	return conn.Close(ctx) == nil
}

// quoteValue makes a value fit for a quoted part of a connection string.
func quoteValue(s string) string {
	var quoted []rune
	for _, r := range s {
		if r == '\'' || r == '\\' {
			quoted = append(quoted, '\\')
		}
		quoted = append(quoted, r)
	}
	return string(quoted)
}

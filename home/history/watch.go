package history

import (
	"context"

	"github.com/google/uuid"

	"github.com/tablewright/tablewright/home/listen"
)

// Channel is the notification channel of changed jobs; the payload is the job's id.
const Channel = "tablewright_job"

// Watch calls changed with the id of every job that was committed with a change, on a connection of its
// own, until ctx ends. uuid.Nil means: any job may have changed, because the connection is new. failed,
// when set, is told of connections that broke.
func (s *Store) Watch(ctx context.Context, changed func(uuid.UUID), failed func(error)) error {
	return listen.Listen(ctx, s.pool.Config().ConnConfig, Channel, func(payload string) {
		if id, err := uuid.Parse(payload); err == nil { // anybody may NOTIFY
			changed(id)
		}
	}, func() { changed(uuid.Nil) }, failed)
}

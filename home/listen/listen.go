// Package listen waits for notifications of the home database on a connection of its own.
package listen

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
)

// Limits of the wait between two attempts to connect.
const (
	pauseMin = 50 * time.Millisecond
	pauseMax = 5 * time.Second
)

// Listen calls heard with the payload of every notification on a channel, and lost after every (re)connect,
// the first one included: what was sent before is not known then. Both run on the caller's goroutine. It
// returns when ctx ends, with nil; failed, when set, is told of every connection that broke.
func Listen(ctx context.Context, config *pgx.ConnConfig, channel string,
	heard func(payload string), lost func(), failed func(error),
) error {
	pause := pauseMin
	for {
		connected, err := once(ctx, config, channel, heard, lost)
		if ctx.Err() != nil {
			return nil // the end of ctx is the way to end it
		}
		if failed != nil {
			failed(err)
		}
		if connected {
			pause = pauseMin
		}
		timer := time.NewTimer(pause)
		select {
		case <-ctx.Done():
			timer.Stop()
			return nil
		case <-timer.C:
		}
		pause = min(2*pause, pauseMax)
	}
}

// once listens until its connection breaks.
func once(ctx context.Context, config *pgx.ConnConfig, channel string,
	heard func(string), lost func(),
) (connected bool, err error) {
	conn, err := pgx.ConnectConfig(ctx, config.Copy())
	if err != nil {
		return false, fmt.Errorf("listen to %s: %w", channel, err)
	}
	defer func() {
		closeCtx, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
		defer cancel()
		err = errors.Join(err, conn.Close(closeCtx))
	}()
	if _, err := conn.Exec(ctx, "listen "+pgx.Identifier{channel}.Sanitize()); err != nil {
		return false, fmt.Errorf("listen to %s: %w", channel, err)
	}
	lost()
	for {
		notification, err := conn.WaitForNotification(ctx)
		if err != nil {
			return true, fmt.Errorf("listen to %s: %w", channel, err)
		}
		heard(notification.Payload)
	}
}

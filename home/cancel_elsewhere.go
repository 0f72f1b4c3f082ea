package home

import (
	"context"
	"crypto/hmac"
	"errors"
	"fmt"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/tablewright/tablewright/home/listen"
)

// cancelChannel is the notification channel of cancel requests between gateways. Whoever listens to it sees
// an id, by which nobody but a gateway finds the rest.
const cancelChannel = "tablewright_cancel"

// PassCancelOn lets the other gateways of the home database look for the session of a cancel key.
func (h *Home) PassCancelOn(ctx context.Context, pid, secret uint32) error {
	_, err := h.pool.Exec(ctx, `with old as (delete from tablewright.cancel_request where at < now() - interval '1 minute'),
		fresh as (insert into tablewright.cancel_request (id, pid, code) values ($1, $2, $3) returning id)
		select pg_notify($4, id::text) from fresh`, uuid.NewString(), int64(pid), h.cancelCode(pid, secret), cancelChannel)
	if err != nil {
		return fmt.Errorf("cancel request to other gateways: %w", err)
	}
	return nil
}

func (h *Home) cancelCode(pid, secret uint32) []byte {
	return h.mac("cancel", fmt.Sprintf("%d|%d", pid, secret))
}

// ListenCancels calls cancel for every request that a gateway passed on, this one included, until ctx ends.
// fits tells whether a secret is the one of the request.
func (h *Home) ListenCancels(ctx context.Context, cancel func(pid uint32, fits func(secret uint32) bool)) error {
	failed := func(err error) { h.opts.Log.Warn().Err(err).Msg("connection to the home database lost") }
	return listen.Listen(ctx, h.endpoint.pool.ConnConfig, cancelChannel, func(payload string) {
		// Any role can send a notification: one that is no id, or of no request, means nothing.
		id, err := uuid.Parse(payload)
		if err != nil {
			return
		}
		var pid uint32
		var code []byte
		err = h.pool.QueryRow(ctx, "select pid, code from tablewright.cancel_request where id = $1", id.String()).Scan(&pid, &code)
		switch {
		case errors.Is(err, pgx.ErrNoRows):
			return
		case err != nil:
			failed(err)
			return
		}
		cancel(pid, func(secret uint32) bool { return hmac.Equal(code, h.cancelCode(pid, secret)) })
	}, func() {}, failed)
}

package deploy

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/rs/zerolog"

	"github.com/tablewright/tablewright/ddl/sqlerr"
	"github.com/tablewright/tablewright/home"
)

// HomeShadows changes shadows on the gateway's own connections.
type HomeShadows struct {
	Home *home.Home
	Log  zerolog.Logger
}

// Ready notes that what a shadow stands for exists. A shadow that is gone by now is no error.
func (h HomeShadows) Ready(ctx context.Context, relation uint32, job uuid.UUID, identity string) error {
	changes := map[string]any{"state": "ready", "job_id": nil}
	if identity != "" {
		changes["identity"] = identity
	}
	return h.patch(ctx, relation, job, changes)
}

// patch changes the registry's row of a shadow, while it is still the one that the job made.
func (h HomeShadows) patch(ctx context.Context, relation uint32, job uuid.UUID, changes map[string]any) error {
	patch, err := json.Marshal(changes)
	if err != nil {
		return err
	}
	_, err = h.Home.Pool().Exec(ctx,
		`select tablewright.patch_relation(oid, $3::jsonb) from tablewright.relation where oid = $1 and job_id = $2`,
		relation, job, string(patch))
	if err != nil {
		return fmt.Errorf("shadow %d: %w", relation, err)
	}
	return nil
}

// Remove drops the shadow that a job's statement made.
func (h HomeShadows) Remove(ctx context.Context, relation uint32, job uuid.UUID) error {
	err := pgx.BeginFunc(ctx, h.Home.Pool(), func(tx pgx.Tx) error { return h.remove(ctx, tx, relation, job) })
	if e, ok := errors.AsType[*pgconn.PgError](err); ok && e.Code == sqlerr.DependentObjectsStillExist {
		return h.patch(ctx, relation, job, map[string]any{"state": "failed"})
	}
	if err != nil {
		return fmt.Errorf("shadow %d: %w", relation, err)
	}
	return nil
}

// RemoveSchema drops the home schema that a job's statement made.
func (h HomeShadows) RemoveSchema(ctx context.Context, schema uint32) error {
	err := pgx.BeginFunc(ctx, h.Home.Pool(), func(tx pgx.Tx) error {
		return h.Home.ExecTicketed(ctx, tx, fmt.Sprintf("select tablewright.drop_shadow_schema(%d)", schema))
	})
	if e, ok := errors.AsType[*pgconn.PgError](err); ok && e.Code == sqlerr.DependentObjectsStillExist {
		return nil // it is the business of who made something in it
	}
	if err != nil {
		return fmt.Errorf("home schema %d: %w", schema, err)
	}
	return nil
}

// Restore takes the change of a shadow back. When views have come to depend on it meanwhile it stays as it
// is, marked as failed.
func (h HomeShadows) Restore(ctx context.Context, relation uint32, job uuid.UUID, statements []string, patch home.RelationPatch) error {
	text, err := patch.JSON()
	if err != nil {
		return err
	}
	err = pgx.BeginFunc(ctx, h.Home.Pool(), func(tx pgx.Tx) error {
		ours, err := isOurs(ctx, tx, relation, job)
		if err != nil || !ours {
			return err
		}
		for _, statement := range statements {
			if err := h.Home.ExecTicketed(ctx, tx, statement); err != nil {
				return err
			}
		}
		_, err = tx.Exec(ctx, "select tablewright.patch_relation($1, $2::jsonb)", relation, text)
		return err
	})
	if e, ok := errors.AsType[*pgconn.PgError](err); ok {
		h.Log.Warn().Err(e).Uint32("relation", relation).Msg("shadow not taken back")
		return h.patch(ctx, relation, job, map[string]any{"state": "failed"})
	}
	if err != nil {
		return fmt.Errorf("shadow %d: %w", relation, err)
	}
	return nil
}

// isOurs tells whether a shadow is still the one that a job works on.
func isOurs(ctx context.Context, tx pgx.Tx, relation uint32, job uuid.UUID) (ours bool, err error) {
	err = tx.QueryRow(ctx, "select exists (select from tablewright.relation where oid = $1 and job_id = $2)", relation, job).Scan(&ours)
	return ours, err
}

func (h HomeShadows) remove(ctx context.Context, tx pgx.Tx, relation uint32, job uuid.UUID) error {
	ours, err := isOurs(ctx, tx, relation, job)
	if err != nil || !ours {
		return err
	}
	return h.Home.ExecTicketed(ctx, tx, fmt.Sprintf("select tablewright.drop_shadow(%d)", relation))
}

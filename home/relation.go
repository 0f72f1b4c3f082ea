package home

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/google/uuid"

	"github.com/tablewright/tablewright/ddl/catalog"
)

// relationText is a relation in tablewright.snapshot's answer.
type relationText struct {
	OID          uint32           `json:"oid"`
	Schema       string           `json:"schema"`
	Name         string           `json:"name"`
	Kind         string           `json:"kind"`
	Owner        string           `json:"owner"`
	Comment      string           `json:"comment"`
	Managed      string           `json:"managed"` // empty for a home relation
	Catalog      string           `json:"catalog"`
	Path         []string         `json:"path"`
	Identity     string           `json:"identity"`
	State        string           `json:"state"`
	JobID        string           `json:"job_id"`
	Options      []optionText     `json:"options"`
	Partitioning []transformText  `json:"partitioning"`
	ForeignKeys  []constraintText `json:"foreign_keys"` // kept in the registry, not at the shadow
	Columns      []columnText     `json:"columns"`
	PrimaryKey   []string         `json:"primary_key"`
	KeyName      string           `json:"key_name"`
	Constraints  []constraintText `json:"constraints"`
	Dependents   []string         `json:"dependents"`
}

type columnText struct {
	Name     string `json:"name"`
	Type     string `json:"type"`
	NotNull  bool   `json:"not_null"`
	Default  string `json:"default"`
	Identity string `json:"identity"`
	Comment  string `json:"comment"`
}

type constraintText struct {
	Name       string                 `json:"name"`
	Kind       catalog.ConstraintKind `json:"kind"`
	Definition string                 `json:"definition"`
}

type transformText struct {
	Transform string   `json:"transform"`
	Columns   []string `json:"columns"`
	Args      []string `json:"args,omitempty"`
}

func (r relationText) relation() catalog.Relation {
	rel := catalog.Relation{
		OID: r.OID, HomeSchema: r.Schema, HomeName: r.Name, Kind: firstByte(r.Kind), Owner: r.Owner,
		Managed: r.Managed != "", Observed: r.Managed == "observed", Catalog: r.Catalog, Path: r.Path,
		Identity: r.Identity, State: r.State, JobID: r.JobID, Dependents: r.Dependents,
	}
	rel.Table = catalog.Table{PrimaryKey: r.PrimaryKey, KeyName: r.KeyName, Options: tableOptions(r.Options), Comment: r.Comment}
	if rel.Managed {
		rel.Table.Name = catalog.Name{Catalog: r.Catalog, Schema: strings.TrimPrefix(r.Schema, r.Catalog+"."), Table: r.Name}
		if r.Schema == r.Catalog {
			rel.Table.Name.Schema = ""
		}
	}
	for _, c := range r.Columns {
		rel.Table.Columns = append(rel.Table.Columns, catalog.Column(c))
	}
	for _, c := range append(r.Constraints, r.ForeignKeys...) {
		rel.Table.Constraints = append(rel.Table.Constraints, catalog.Constraint(c))
	}
	for _, p := range r.Partitioning {
		rel.Table.Partitioning = append(rel.Table.Partitioning, catalog.Transform(p))
	}
	return rel
}

// RelationPatch is a change of what the registry knows of a shadow. What is nil stays as it is.
type RelationPatch struct {
	Path         []string
	Observed     *bool
	State        string  // empty: stays
	JobID        *string // pointing to the empty string: none
	Identity     *string
	Options      *catalog.Options
	Partitioning *[]catalog.Transform
	ForeignKeys  *[]catalog.Constraint
}

// JSON is the patch as tablewright.set_relation takes it.
func (p RelationPatch) JSON() (string, error) {
	patch := map[string]any{}
	if p.Path != nil {
		patch["path"] = p.Path
	}
	if p.Observed != nil {
		patch["managed"] = "full"
		if *p.Observed {
			patch["managed"] = "observed"
		}
	}
	if p.State != "" {
		patch["state"] = p.State
	}
	if p.JobID != nil {
		patch["job_id"] = orNil(*p.JobID)
	}
	if p.Identity != nil {
		patch["identity"] = orNil(*p.Identity)
	}
	if p.Options != nil {
		patch["options"] = optionTexts(*p.Options)
	}
	if p.Partitioning != nil {
		list := make([]transformText, 0, len(*p.Partitioning))
		for _, t := range *p.Partitioning {
			list = append(list, transformText(t))
		}
		patch["partitioning"] = list
	}
	if p.ForeignKeys != nil {
		list := make([]constraintText, 0, len(*p.ForeignKeys))
		for _, c := range *p.ForeignKeys {
			list = append(list, constraintText(c))
		}
		patch["constraints"] = list
	}
	text, err := json.Marshal(patch)
	if err != nil {
		return "", fmt.Errorf("patch of a relation: %w", err)
	}
	return string(text), nil
}

func orNil(s string) any {
	if s == "" {
		return nil
	}
	return s
}

// Statement is the patch as a statement for the user's own connection, to be sent with its ticket. table
// is the shadow's name in SQL, or its OID.
func (p RelationPatch) Statement(table string) (string, error) {
	text, err := p.JSON()
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("select tablewright.set_relation(%s::regclass, %s)",
		catalog.QuoteLiteral(table), catalog.QuoteLiteral(text)), nil
}

// Completion is Statement, with the end of the job that has made the object in the same transaction. It answers whether
// the job has ended so.
func (p RelationPatch) Completion(table string, job uuid.UUID) (string, error) {
	text, err := p.JSON()
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("select tablewright.complete(%s::regclass, %s, '%s')",
		catalog.QuoteLiteral(table), catalog.QuoteLiteral(text), job), nil
}

// PatchRelation changes the registry on the gateway's own pool, for what happens after the user's
// transaction.
func (h *Home) PatchRelation(ctx context.Context, oid uint32, p RelationPatch) error {
	text, err := p.JSON()
	if err != nil {
		return err
	}
	if _, err := h.pool.Exec(ctx, "select tablewright.patch_relation($1, $2)", oid, text); err != nil {
		return fmt.Errorf("registry of external tables: %w", err)
	}
	return nil
}

// optionText is an option as it is kept.
type optionText struct {
	Name      string      `json:"name"`
	Value     string      `json:"value,omitempty"`
	Secret    *secretText `json:"secret,omitempty"`
	Reference string      `json:"reference,omitempty"`
}

type secretText struct {
	Name string `json:"name"`
	Key  string `json:"key"`
}

func tableOptions(texts []optionText) catalog.Options {
	options := make(catalog.Options, 0, len(texts))
	for _, t := range texts {
		o := catalog.Option{Name: t.Name, Value: t.Value, Reference: t.Reference}
		if t.Secret != nil {
			o.SecretRef = &catalog.SecretKeyRef{Name: t.Secret.Name, Key: t.Secret.Key}
		}
		options = append(options, o)
	}
	return options
}

func optionTexts(options catalog.Options) []optionText {
	texts := make([]optionText, 0, len(options))
	for _, o := range options {
		t := optionText{Name: o.Name, Value: o.Value, Reference: o.Reference}
		if o.SecretRef != nil {
			t.Secret = &secretText{Name: o.SecretRef.Name, Key: o.SecretRef.Key}
		}
		texts = append(texts, t)
	}
	return texts
}

// ServerOption is an option of a catalog as its foreign server keeps it: a plain value, or the text of a
// reference. Never a secret.
func ServerOption(o catalog.Option) string {
	if o.SecretRef != nil {
		return "secret:" + o.SecretRef.Name + "/" + o.SecretRef.Key
	}
	return cmp.Or(o.Reference, o.Value)
}

// serverOptions reads back what ServerOption wrote.
func serverOptions(texts []optionText) catalog.Options {
	options := make(catalog.Options, 0, len(texts))
	for _, t := range texts {
		o := catalog.Option{Name: t.Name}
		ref, isSecret := strings.CutPrefix(t.Value, "secret:")
		name, key, hasKey := strings.Cut(ref, "/")
		switch {
		case isSecret && hasKey:
			o.SecretRef = &catalog.SecretKeyRef{Name: name, Key: key}
		case strings.HasPrefix(t.Value, "env:"), strings.HasPrefix(t.Value, "file:") && isCredential(t.Name):
			o.Reference = t.Value
		default:
			o.Value = t.Value
		}
		options = append(options, o)
	}
	return options
}

// isCredential tells whether an option's `file:` is the file of a secret; elsewhere (warehouse) it is
// a URL.
func isCredential(name string) bool {
	for _, suffix := range []string{"password", "token", "secret", "credential"} {
		if strings.HasSuffix(name, suffix) {
			return true
		}
	}
	return false
}

package iceberg

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"strconv"
	"strings"
	"time"

	icebergio "github.com/apache/iceberg-go/io"
	"github.com/apache/iceberg-go/table"

	"github.com/tablewright/tablewright/provision"
)

// settleTimeout bounds the look-up that tells what became of a change whose answer got lost with its
// context.
const settleTimeout = time.Second

// tableIO is one table as iceberg-go sees its catalogue.
type tableIO struct {
	s     *System
	n     name
	files *fileStore
	// base is the metadata that a commit must build on; empty when the commit's requirements say enough.
	base string
}

var _ table.CatalogIO = (*tableIO)(nil)

func (t *tableIO) fs(context.Context) (icebergio.IO, error) { return t.files, nil }

// LoadTable reads the table's current metadata.
func (t *tableIO) LoadTable(ctx context.Context, _ table.Identifier) (*table.Table, error) {
	row, err := t.s.rows.lookup(ctx, t.n)
	if err != nil {
		return nil, err
	}
	if row == nil || row.view {
		return nil, notFound(t.n)
	}
	return t.at(ctx, row.metadata)
}

func (t *tableIO) at(ctx context.Context, location string) (*table.Table, error) {
	loaded, err := table.NewFromLocation(ctx, t.n.identifier(), location, t.fs, t)
	if err != nil {
		return nil, fmt.Errorf("metadata of table %s: %w", t.n, err)
	}
	return loaded, nil
}

// CommitTable writes new metadata and makes it the current one, when the table has not changed meanwhile;
// else the error is table.ErrCommitFailed and nothing has happened.
func (t *tableIO) CommitTable(
	ctx context.Context, _ table.Identifier, reqs []table.Requirement, updates []table.Update,
) (table.Metadata, string, error) {
	current, err := t.LoadTable(ctx, nil)
	if err != nil {
		return nil, "", err
	}
	if t.base != "" && t.base != current.MetadataLocation() {
		return nil, "", fmt.Errorf("%w: table %s has changed", table.ErrCommitFailed, t.n)
	}
	for _, r := range reqs {
		if err := r.Validate(current.Metadata()); err != nil {
			return nil, "", fmt.Errorf("%w: %w", table.ErrCommitFailed, err)
		}
	}
	updated, err := table.UpdateTableMetadata(current.Metadata(), updates, current.MetadataLocation())
	if err != nil {
		return nil, "", err
	}
	location, err := t.writeMetadata(updated, metadataVersion(current.MetadataLocation())+1)
	if err != nil {
		return nil, "", err
	}
	swapped, err := t.s.rows.swap(ctx, t.n, current.MetadataLocation(), location)
	if err != nil {
		current, known := t.settle(ctx, location)
		if known && !current {
			err = notCommittedError{err}
		}
		if !current {
			return nil, "", err
		}
		swapped = true
	}
	if !swapped {
		return nil, "", errors.Join(fmt.Errorf("%w: table %s has changed", table.ErrCommitFailed, t.n), t.files.Remove(location))
	}
	return updated, location, nil
}

// settle tells whether a change that ended in an error made location the current metadata after all. A
// file that nothing refers to is removed. known is false when that cannot be said; then the file stays.
func (t *tableIO) settle(ctx context.Context, location string) (current, known bool) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), settleTimeout)
	defer cancel()
	row, err := t.s.rows.lookup(ctx, t.n)
	if err != nil {
		return false, false
	}
	if row != nil && row.metadata == location {
		return true, true
	}
	// A file that stays takes room and does no harm.
	_ = t.files.Remove(location)
	return false, true
}

// writeMetadata writes a metadata file and returns its location.
func (t *tableIO) writeMetadata(m table.Metadata, version int) (string, error) {
	places, err := table.LoadLocationProvider(m.Location(), m.Properties())
	if err != nil {
		return "", err
	}
	location, err := places.NewTableMetadataFileLocation(version)
	if err != nil {
		return "", err
	}
	content, err := json.Marshal(m)
	if err != nil {
		return "", err
	}
	switch codec := m.Properties().Get(table.MetadataCompressionKey, table.MetadataCompressionCodecNone); codec {
	case table.MetadataCompressionCodecNone:
	case table.MetadataCompressionCodecGzip:
		if content, err = compress(content); err != nil {
			return "", err
		}
	default:
		return "", provision.Error(provision.Unsupported, "metadata compression %q is not supported", codec)
	}
	return location, t.files.WriteFile(location, content)
}

func compress(content []byte) ([]byte, error) {
	var out bytes.Buffer
	w := gzip.NewWriter(&out)
	_, err := w.Write(content)
	err = errors.Join(err, w.Close())
	return out.Bytes(), err
}

// metadataVersion is the number that a metadata file's name begins with: 00003-<uuid>.metadata.json, or
// v3.metadata.json as Hadoop tables have it; 0 for another name.
func metadataVersion(location string) int {
	digits, _, _ := strings.Cut(strings.TrimPrefix(path.Base(location), "v"), "-")
	digits, _, _ = strings.Cut(digits, ".")
	version, err := strconv.Atoi(digits)
	if err != nil {
		return 0
	}
	return version
}

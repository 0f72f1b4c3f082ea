//go:build deps

// Package deps keeps the modules that later packages need in go.mod.
package deps

import (
	_ "github.com/jackc/pgproto3/v2"
	_ "github.com/jackc/pgx/v5"
	_ "github.com/jackc/pgx/v5/pgxpool"
	_ "github.com/rs/zerolog"
	_ "github.com/spf13/viper"
	_ "github.com/spf13/cobra"
	_ "github.com/pganalyze/pg_query_go/v6"
	_ "github.com/pressly/goose/v3"
	_ "github.com/prometheus/client_golang/prometheus/promhttp"
	_ "github.com/google/uuid"
	_ "golang.org/x/sync/errgroup"
	_ "golang.org/x/sys/unix"
	_ "sigs.k8s.io/controller-runtime"
	_ "sigs.k8s.io/controller-runtime/pkg/client"
	_ "k8s.io/apiextensions-apiserver/pkg/apiserver"
	_ "k8s.io/apiextensions-apiserver/pkg/cmd/server/options"
	_ "go.etcd.io/etcd/server/v3/embed"
	_ "k8s.io/client-go/kubernetes"
	_ "k8s.io/apiserver/pkg/server"
	_ "sigs.k8s.io/yaml"
	_ "github.com/google/go-cmp/cmp"
	_ "github.com/rogpeppe/go-internal/testscript"
	_ "github.com/cockroachdb/datadriven"
	_ "go.uber.org/goleak"
	_ "github.com/apache/iceberg-go/catalog/sql"
	_ "github.com/apache/iceberg-go/table"
	_ "github.com/mattn/go-sqlite3"
)

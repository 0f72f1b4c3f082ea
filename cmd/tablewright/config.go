package main

import (
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/go-viper/mapstructure/v2"
	"github.com/rs/zerolog"
	"github.com/spf13/pflag"
	"github.com/spf13/viper"

	"github.com/tablewright/tablewright/limits"
)

// Config is the whole configuration of `serve`. configs/tablewright.yaml documents every key.
type Config struct {
	DataDir      string        `mapstructure:"data_dir"`
	Listen       string        `mapstructure:"listen"`
	HTTPListen   string        `mapstructure:"http_listen"`
	Insecure     bool          `mapstructure:"insecure"`
	DrainTimeout time.Duration `mapstructure:"drain_timeout"`
	TLS          TLSConfig     `mapstructure:"tls"`
	Auth         AuthConfig    `mapstructure:"auth"`
	Limits       limits.Limits `mapstructure:"limits"`
	Home         HomeConfig    `mapstructure:"home"`
	Kubernetes   KubeConfig    `mapstructure:"kubernetes"`
	Catalogs     CatalogConfig `mapstructure:"catalogs"`
	Log          LogConfig     `mapstructure:"log"`
}

// TLSConfig is about the encryption of clients' connections.
type TLSConfig struct {
	CertFile     string `mapstructure:"cert_file"`
	KeyFile      string `mapstructure:"key_file"`
	ClientCAFile string `mapstructure:"client_ca_file"`
}

// AuthConfig is about who may come in.
type AuthConfig struct {
	Rules []string `mapstructure:"rules"`
}

// HomeConfig is about the home database.
type HomeConfig struct {
	DSN    string `mapstructure:"dsn"`
	BinDir string `mapstructure:"bin_dir"`
	OSUser string `mapstructure:"os_user"`
}

// KubeConfig is about the control plane.
type KubeConfig struct {
	Kubeconfig string `mapstructure:"kubeconfig"`
	InCluster  bool   `mapstructure:"in_cluster"`
	Namespace  string `mapstructure:"namespace"`
	Port       int    `mapstructure:"port"`
}

// CatalogConfig is about catalogs.
type CatalogConfig struct {
	Allow      []string      `mapstructure:"allow"`
	SampleLake bool          `mapstructure:"sample_lake"`
	Refresh    time.Duration `mapstructure:"refresh"`
}

// LogConfig is about the log.
type LogConfig struct {
	Level  string `mapstructure:"level"`
	Format string `mapstructure:"format"`
}

// setting is one key of the configuration with its default and the variable and flag that set it too.
type setting struct {
	key   string
	value any
	env   string
	flag  string
	usage string
}

// settings is every key of the configuration.
func settings() []setting {
	bounds := limits.Defaults()
	return []setting{
		{"data_dir", defaultDataDir(), "TABLEWRIGHT_DATA_DIR", "data-dir", "folder of everything that the gateway keeps"},
		{"listen", "127.0.0.1:7432", "TABLEWRIGHT_LISTEN", "listen", "address for PostgreSQL clients"},
		{"http_listen", "127.0.0.1:7480", "TABLEWRIGHT_HTTP_LISTEN", "http-listen", "address of health and metrics"},
		{"insecure", false, "TABLEWRIGHT_INSECURE", "", ""},
		{"drain_timeout", 30 * time.Second, "TABLEWRIGHT_DRAIN_TIMEOUT", "", ""},
		{"tls.cert_file", "", "TABLEWRIGHT_TLS_CERT_FILE", "", ""},
		{"tls.key_file", "", "TABLEWRIGHT_TLS_KEY_FILE", "", ""},
		{"tls.client_ca_file", "", "TABLEWRIGHT_TLS_CLIENT_CA_FILE", "", ""},
		{"auth.rules", []string{}, "", "", ""},
		{"limits.sessions_max", bounds.SessionsMax, "", "", ""},
		{"limits.sessions_per_user_max", bounds.SessionsPerUserMax, "", "", ""},
		{"limits.home_connections_max", bounds.HomeConnectionsMax, "", "", ""},
		{"limits.connections_per_second_max", bounds.ConnectionsPerSecondMax, "", "", ""},
		{"limits.authentication_timeout", bounds.AuthenticationTimeout, "", "", ""},
		{"limits.idle_session_timeout", bounds.IdleSessionTimeout, "", "", ""},
		{"limits.write_timeout", bounds.WriteTimeout, "", "", ""},
		{"home.dsn", "", "TABLEWRIGHT_HOME_DSN", "home-dsn", "home database to use instead of an own child process"},
		{"home.bin_dir", "", "TABLEWRIGHT_HOME_BIN_DIR", "", ""},
		{"home.os_user", "", "TABLEWRIGHT_HOME_OS_USER", "", ""},
		{"kubernetes.kubeconfig", "", "TABLEWRIGHT_KUBECONFIG", "kubeconfig", "cluster to use instead of the embedded control plane"},
		{"kubernetes.in_cluster", false, "TABLEWRIGHT_IN_CLUSTER", "", ""},
		{"kubernetes.namespace", "tablewright", "TABLEWRIGHT_NAMESPACE", "", ""},
		{"kubernetes.port", 0, "TABLEWRIGHT_KUBERNETES_PORT", "", ""},
		{"catalogs.allow", []string{}, "", "", ""},
		{"catalogs.sample_lake", true, "TABLEWRIGHT_SAMPLE_LAKE", "", ""},
		{"catalogs.refresh", 5 * time.Minute, "TABLEWRIGHT_CATALOG_REFRESH", "", ""},
		{"log.level", "info", "TABLEWRIGHT_LOG_LEVEL", "", ""},
		{"log.format", "console", "TABLEWRIGHT_LOG_FORMAT", "", ""},
	}
}

// defaultDataDir is below /var/lib for root (the home database then runs as another user, who must be
// able to reach it) and in the user's data folder otherwise.
func defaultDataDir() string {
	if os.Geteuid() == 0 {
		return "/var/lib/tablewright"
	}
	if dir := os.Getenv("XDG_DATA_HOME"); filepath.IsAbs(dir) {
		return filepath.Join(dir, "tablewright")
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return "tablewright-data"
	}
	return filepath.Join(home, ".local", "share", "tablewright")
}

// addConfigFlags declares the flags of settings that have one.
func addConfigFlags(flags *pflag.FlagSet) {
	flags.String("config", "", "YAML file to read (also TABLEWRIGHT_CONFIG)")
	for _, s := range settings() {
		if s.flag != "" {
			flags.String(s.flag, fmt.Sprint(s.value), s.usage+" (also "+s.env+")")
		}
	}
}

// loadConfig reads defaults, file, environment and flags, the later ones winning. An unknown key of the
// file is an error; of the environment exactly the listed names are read.
func loadConfig(flags *pflag.FlagSet) (Config, error) {
	v := viper.New()
	for _, s := range settings() {
		v.SetDefault(s.key, s.value)
		if s.env != "" {
			if err := v.BindEnv(s.key, s.env); err != nil {
				return Config{}, err
			}
		}
		if s.flag != "" {
			if err := v.BindPFlag(s.key, flags.Lookup(s.flag)); err != nil {
				return Config{}, err
			}
		}
	}
	file, err := flags.GetString("config")
	if err != nil {
		return Config{}, err
	}
	if file == "" {
		file = os.Getenv("TABLEWRIGHT_CONFIG")
	}
	if file != "" {
		v.SetConfigFile(file)
		v.SetConfigType("yaml")
		if err := v.ReadInConfig(); err != nil {
			return Config{}, fmt.Errorf("configuration file %s: %w", file, err)
		}
	}
	var c Config
	hooks := mapstructure.ComposeDecodeHookFunc(mapstructure.StringToTimeDurationHookFunc(), mapstructure.StringToSliceHookFunc(","))
	if err := v.UnmarshalExact(&c, viper.DecodeHook(hooks)); err != nil {
		return Config{}, fmt.Errorf("configuration: %w", err)
	}
	return c, c.validate()
}

// validate returns everything that is wrong with the configuration.
func (c *Config) validate() error {
	var problems []error
	bad := func(key, format string, args ...any) {
		problems = append(problems, fmt.Errorf("configuration: %s: %s", key, fmt.Sprintf(format, args...)))
	}
	if c.DataDir == "" {
		bad("data_dir", "must not be empty")
	} else if abs, err := filepath.Abs(c.DataDir); err != nil {
		bad("data_dir", "%v", err)
	} else {
		c.DataDir = abs
	}
	if _, _, err := net.SplitHostPort(c.Listen); err != nil {
		bad("listen", "%v", err)
	}
	if err := loopback(c.HTTPListen); err != nil && !c.Insecure {
		bad("http_listen", "%v", err)
	}
	if (c.TLS.CertFile == "") != (c.TLS.KeyFile == "") || c.TLS.ClientCAFile != "" && c.TLS.CertFile == "" {
		bad("tls", "cert_file and key_file go together, and client_ca_file needs both")
	}
	c.validateLimits(bad)
	if c.DrainTimeout < 0 {
		bad("drain_timeout", "must not be negative")
	}
	if c.Catalogs.Refresh < 0 {
		bad("catalogs.refresh", "must not be negative")
	}
	if c.Kubernetes.Kubeconfig != "" && c.Kubernetes.InCluster {
		bad("kubernetes", "kubeconfig and in_cluster exclude each other")
	}
	if c.Kubernetes.Port < 0 || c.Kubernetes.Port > 65535 {
		bad("kubernetes.port", "%d is no port", c.Kubernetes.Port)
	}
	if _, err := zerolog.ParseLevel(c.Log.Level); err != nil {
		bad("log.level", "%q is no level (trace, debug, info, warn, error)", c.Log.Level)
	}
	if c.Log.Format != "console" && c.Log.Format != "json" {
		bad("log.format", "%q is neither console nor json", c.Log.Format)
	}
	return errors.Join(problems...)
}

// validateLimits refuses limits that would let nobody in or mean nothing.
func (c *Config) validateLimits(bad func(key, format string, args ...any)) {
	for key, n := range map[string]int{
		"sessions_max": c.Limits.SessionsMax, "home_connections_max": c.Limits.HomeConnectionsMax,
		"connections_per_second_max": c.Limits.ConnectionsPerSecondMax,
	} {
		if n < 1 {
			bad("limits."+key, "must be positive")
		}
	}
	for key, d := range map[string]time.Duration{
		"authentication_timeout": c.Limits.AuthenticationTimeout, "write_timeout": c.Limits.WriteTimeout,
	} {
		if d <= 0 {
			bad("limits."+key, "must be positive")
		}
	}
	if c.Limits.SessionsPerUserMax < 0 {
		bad("limits.sessions_per_user_max", "must not be negative")
	}
	if c.Limits.IdleSessionTimeout < 0 {
		bad("limits.idle_session_timeout", "must not be negative")
	}
}

// loopback refuses an address that others could reach.
func loopback(address string) error {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return err
	}
	if host == "localhost" {
		return nil
	}
	if ip := net.ParseIP(strings.Trim(host, "[]")); ip == nil || !ip.IsLoopback() {
		return fmt.Errorf("%q is not a loopback address (insecure allows it)", address)
	}
	return nil
}

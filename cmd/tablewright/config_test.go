package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/pflag"
	"sigs.k8s.io/yaml"
)

func load(t *testing.T, file string, args ...string) (Config, error) {
	t.Helper()
	flags := pflag.NewFlagSet("serve", pflag.ContinueOnError)
	addConfigFlags(flags)
	if file != "" {
		path := filepath.Join(t.TempDir(), "tablewright.yaml")
		if err := os.WriteFile(path, []byte(file), 0o600); err != nil {
			t.Fatal(err)
		}
		args = append(args, "--config", path)
	}
	if err := flags.Parse(args); err != nil {
		t.Fatal(err)
	}
	return loadConfig(flags)
}

// The documented file holds every key with its default, and names every variable and flag.
func TestDocumentedFileIsComplete(t *testing.T) {
	text, err := os.ReadFile("../../configs/tablewright.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var tree map[string]any
	if err := yaml.Unmarshal(text, &tree); err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	flatten("", tree, got)
	want := map[string]string{}
	for _, s := range settings() {
		value := fmt.Sprint(s.value)
		if s.key == "data_dir" {
			value = "" // depends on the user; the file says how
		}
		want[s.key] = value
		for _, name := range []string{s.env, s.flag} {
			if name != "" && !strings.Contains(string(text), name) {
				t.Errorf("configs/tablewright.yaml does not mention %s", name)
			}
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Fatalf("documented keys and defaults (-want +got):\n%s", diff)
	}
	known := []string{"TABLEWRIGHT_CONFIG"}
	for _, s := range settings() {
		known = append(known, s.env)
	}
	for _, name := range regexp.MustCompile(`TABLEWRIGHT_[A-Z_]+`).FindAllString(string(text), -1) {
		if !slices.Contains(known, name) {
			t.Errorf("configs/tablewright.yaml mentions %s, which is not read", name)
		}
	}
}

func flatten(prefix string, tree map[string]any, out map[string]string) {
	for key, value := range tree {
		if sub, ok := value.(map[string]any); ok {
			flatten(prefix+key+".", sub, out)
			continue
		}
		out[prefix+key] = fmt.Sprint(value)
	}
}

func TestLaterSourcesWin(t *testing.T) {
	t.Setenv("TABLEWRIGHT_LISTEN", "127.0.0.1:2")
	t.Setenv("TABLEWRIGHT_DRAIN_TIMEOUT", "7s")
	c, err := load(t, "listen: 127.0.0.1:1\nhttp_listen: 127.0.0.1:1\nhome: {os_user: someone}\n", "--listen", "127.0.0.1:3")
	if err != nil {
		t.Fatal(err)
	}
	got := []any{c.Listen, c.HTTPListen, c.DrainTimeout, c.Home.OSUser, c.Kubernetes.Namespace}
	want := []any{"127.0.0.1:3", "127.0.0.1:1", 7 * time.Second, "someone", "tablewright"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Fatalf("(-want +got):\n%s", diff)
	}
}

func TestConfigurationMistakes(t *testing.T) {
	for name, test := range map[string]struct {
		file string
		args []string
		want string
	}{
		"unknown key":          {file: "listne: 127.0.0.1:1\n", want: "listne"},
		"unknown nested key":   {file: "home: {dns: x}\n", want: "dns"},
		"no YAML":              {file: "listen: [\n", want: "yaml"},
		"public health":        {args: []string{"--http-listen", "0.0.0.0:7480"}, want: "loopback"},
		"half of TLS":          {file: "tls: {cert_file: x}\n", want: "go together"},
		"no sessions":          {file: "limits: {sessions_max: 0}\n", want: "sessions_max"},
		"negative limit":       {file: "limits: {idle_session_timeout: -1s}\n", want: "idle_session_timeout"},
		"address of no form":   {args: []string{"--http-listen", "7480"}, want: "http_listen"},
		"level":                {file: "log: {level: loud}\n", want: "loud"},
		"format":               {file: "log: {format: xml}\n", want: "xml"},
		"two control planes":   {file: "kubernetes: {kubeconfig: x, in_cluster: true}\n", want: "exclude"},
		"duration":             {file: "drain_timeout: soon\n", want: "invalid duration"},
		"empty data folder":    {args: []string{"--data-dir", ""}, want: "data_dir"},
		"port out of range":    {file: "kubernetes: {port: 70000}\n", want: "70000"},
		"all are told at once": {file: "log: {level: loud, format: xml}\n", want: "xml"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := load(t, test.file, test.args...)
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Fatalf("got %v, want an error that names %q", err, test.want)
			}
		})
	}
}

// Kubernetes puts a TABLEWRIGHT_PORT into every pod beside a Service of that name.
func TestInjectedVariablesAreNotRead(t *testing.T) {
	t.Setenv("TABLEWRIGHT_PORT", "tcp://10.0.0.1:7432")
	t.Setenv("TABLEWRIGHT_SERVICE_HOST", "10.0.0.1")
	if _, err := load(t, ""); err != nil {
		t.Fatal(err)
	}
	for _, s := range settings() {
		if strings.Contains(s.env, "SERVICE_") || s.env == "TABLEWRIGHT_PORT" {
			t.Errorf("%s would be overwritten by Kubernetes", s.env)
		}
	}
}

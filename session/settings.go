package session

import (
	"context"
	"strconv"
	"strings"
	"time"

	"github.com/tablewright/tablewright/ddl/catalog"
	"github.com/tablewright/tablewright/ddl/sqlerr"
	"github.com/tablewright/tablewright/deploy"
	"github.com/tablewright/tablewright/home"
)

// ownSettings are the settings of Tablewright's own, without their prefix.
func ownSettings() []string {
	return []string{
		"mode", "dry_run", "wait_for", "wait_timeout", "on_timeout", "on_cancel", "on_disconnect",
		"notice_after", "notice_interval", "ddl_in_transaction", "allow_destructive",
		"plan_hash",
	}
}

// heeded are the settings that a statement of ours heeds, as they stand when it begins. They are ordinary
// settings of the home session, so that SET LOCAL, ROLLBACK, ALTER ROLE … SET and startup options hold.
func heeded() []string {
	names := []string{"client_min_messages", "application_name", "statement_timeout"}
	for _, name := range ownSettings() {
		names = append(names, ownPrefix+name)
	}
	return names
}

const ownPrefix = "tablewright."

// The defaults of the settings.
const (
	defaultWaitTimeout    = 5 * time.Minute
	defaultNoticeAfter    = 2 * time.Second
	defaultNoticeInterval = 10 * time.Second
)

// wishes are the settings of a session as they stand, by name.
type wishes map[string]string

// settings reads what the session wishes for the statement that begins.
func (s *Session) settings(ctx context.Context) (deploy.Settings, error) {
	snap, err := home.ReadSnapshot(ctx, s, home.Wanted{Settings: heeded()})
	if err != nil {
		return deploy.Settings{}, err
	}
	return wishes(snap.Settings).parse(nil)
}

// parse reads the values; own are those of the statement's WITH clause and win. An empty value means the
// default.
func (w wishes) parse(own catalog.Options) (deploy.Settings, error) {
	value := func(name string) string {
		if v, ok := own.Get(name); ok {
			return v
		}
		return w[ownPrefix+name]
	}
	p := settingParser{}
	timeout, _ := parseInterval(w["statement_timeout"]) // as PostgreSQL itself writes it
	set := deploy.Settings{
		ClientMinMessages:  w["client_min_messages"],
		ApplicationName:    w["application_name"],
		StatementTimeout:   timeout,
		Apply:              p.choice("mode", value("mode"), "create", "apply") == "apply",
		DryRun:             p.dryRun(value("dry_run")) != noDryRun,
		Rehearse:           p.dryRun(value("dry_run")) == rehearsal,
		PlanHash:           value("plan_hash"),
		WaitFor:            deploy.WaitFor(p.choice("wait_for", value("wait_for"), "ready", "recorded", "accepted", "finished")),
		WaitTimeout:        p.duration("wait_timeout", value("wait_timeout"), defaultWaitTimeout),
		NoticeOnTimeout:    p.choice("on_timeout", value("on_timeout"), "error", "notice") == "notice",
		DetachOnCancel:     p.choice("on_cancel", value("on_cancel"), "cancel_job", "detach") == "detach",
		CancelOnDisconnect: p.choice("on_disconnect", value("on_disconnect"), "detach", "cancel_job") == "cancel_job",
		NoticeAfter:        p.duration("notice_after", value("notice_after"), defaultNoticeAfter),
		NoticeInterval:     p.duration("notice_interval", value("notice_interval"), defaultNoticeInterval),
		DDLInTransaction:   p.choice("ddl_in_transaction", value("ddl_in_transaction"), "stage", "autocommit", "refuse"),
		AllowDestructive:   p.boolean("allow_destructive", value("allow_destructive")),
	}
	return set, p.err()
}

// settingParser reads values and keeps the first that is wrong.
type settingParser struct{ bad *sqlerr.Error }

func (p *settingParser) err() error {
	if p.bad == nil {
		return nil
	}
	return p.bad
}

func (p *settingParser) invalid(name, value, hint string) {
	if p.bad == nil {
		p.bad = sqlerr.New(sqlerr.InvalidParameterValue, "invalid value for parameter \"tablewright.%s\": \"%s\"", name, value).
			WithHint("%s", hint)
	}
}

// choice reads one of a list; the first is the default.
func (p *settingParser) choice(name, value string, choices ...string) string {
	if value == "" {
		return choices[0]
	}
	for _, c := range choices {
		if strings.EqualFold(value, c) {
			return c
		}
	}
	p.invalid(name, value, "Available values: "+strings.Join(choices, ", ")+".")
	return choices[0]
}

func (p *settingParser) boolean(name, value string) bool {
	switch strings.ToLower(value) {
	case "", "off", "false", "no", "0":
		return false
	case "on", "true", "yes", "1":
		return true
	default:
		p.invalid(name, value, "Available values: on, off.")
		return false
	}
}

// duration reads a time as PostgreSQL writes it in settings: 500ms, 2s, 5min, 1h, 1d; a bare number is
// milliseconds, as for statement_timeout.
func (p *settingParser) duration(name, value string, otherwise time.Duration) time.Duration {
	if value == "" {
		return otherwise
	}
	d, ok := parseInterval(value)
	if !ok {
		p.invalid(name, value, "Valid units for this parameter are \"us\", \"ms\", \"s\", \"min\", \"h\", and \"d\".")
	}
	return d
}

func parseInterval(value string) (time.Duration, bool) {
	value = strings.TrimSpace(value)
	digits := strings.TrimRight(value, "abcdefghijklmnopqrstuvwxyz ")
	n, err := strconv.ParseFloat(digits, 64)
	if err != nil || n < 0 || n > 1e12 {
		return 0, false
	}
	units := map[string]time.Duration{
		"": time.Millisecond, "us": time.Microsecond, "ms": time.Millisecond, "s": time.Second,
		"min": time.Minute, "h": time.Hour, "d": 24 * time.Hour,
	}
	unit, ok := units[strings.TrimSpace(value[len(digits):])]
	d := n * float64(unit)
	if !ok || d > float64(100*365*24*time.Hour) {
		return 0, false
	}
	return time.Duration(d), true
}

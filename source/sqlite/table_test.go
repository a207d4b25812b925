package sqlite_test

import (
	"context"
	"database/sql"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/source"
	"github.com/ovi-project/ovi/source/config"
	"github.com/ovi-project/ovi/source/sqlite"
	"github.com/ovi-project/ovi/source/sqlite/sqlitetest"
)

func load(t testing.TB, s source.Source) resource.Intent {
	t.Helper()
	in, err := source.Load(context.Background(), s)
	if err != nil {
		t.Fatal(err)
	}
	return in[0]
}

// refused loads a source that must be refused, with all of the patterns in the error.
func refused(t *testing.T, s source.Source, patterns ...string) {
	t.Helper()
	in, err := source.Load(context.Background(), s)
	if err == nil {
		t.Fatalf("accepted: %+v", in)
	}
	var problems source.Problems
	if !errors.As(err, &problems) {
		t.Errorf("the error is no source.Problems: %v", err)
	}
	for _, p := range patterns {
		if !regexp.MustCompile(p).MatchString(err.Error()) {
			t.Errorf("the error does not match %s:\n%v", p, err)
		}
	}
}

func TestTheErrorNamesRowAndColumn(t *testing.T) {
	s := table(t, t.TempDir(), sqlitetest.Schema(), sqlitetest.Shipped(),
		"UPDATE clusters SET http_port = 80 WHERE name = 'uat'")
	refused(t, s, `http_port is "80"\n  at .*clusters\.db, row uat, column http_port \(cluster/uat\)\n  Suggestion: use a whole number from 1024 to 65535`)
}

// TestAnEmptyTableIsAnError: with the row of the management cluster alone too.
func TestAnEmptyTableIsAnError(t *testing.T) {
	dir := t.TempDir()
	s := table(t, dir, sqlitetest.Schema())
	refused(t, s, "declares no cluster", "desired_state of its row to absent")
	sqlitetest.Exec(t, filepath.Join(dir, "clusters.db"), "INSERT INTO clusters (name, provider) VALUES ('devops', 'k3d')")
	refused(t, s, "declares no cluster")
}

// TestTheLastRowCanBeAbsent: nothing is configured, and the location is observed all the same.
func TestTheLastRowCanBeAbsent(t *testing.T) {
	in := load(t, table(t, t.TempDir(), sqlitetest.Schema(),
		"INSERT INTO clusters (name, provider, desired_state) VALUES ('dev', 'kind', 'absent')"))
	if len(in.Resources) != 0 || len(in.Scopes) != 1 || in.Scopes[0] != (resource.Scope{
		Provider: "fleet",
		Location: "local",
	}) || in.Partial {
		t.Errorf("got %+v", in)
	}
}

// TestDefect6_AnUnknownDesiredStateIsAnError: Kindler skips such a row and exits 0.
func TestDefect6_AnUnknownDesiredStateIsAnError(t *testing.T) {
	s := table(t, t.TempDir(), sqlitetest.Schema(), sqlitetest.Shipped(),
		"UPDATE clusters SET desired_state = 'paused' WHERE name = 'dev'")
	refused(t, s, `unknown desired_state "paused"`, "row dev, column desired_state", "use present or absent")
}

// TestDefect7_PortsAndSubnetComeFromTheRow: Kindler takes them from a CSV file, and overwrites the row.
func TestDefect7_PortsAndSubnetComeFromTheRow(t *testing.T) {
	in := load(t, table(t, t.TempDir(), sqlitetest.Schema(),
		"INSERT INTO clusters (name, provider, subnet, http_port, https_port) VALUES ('x', 'k3d', '10.9.0.0/16', 20000, "+
			"20001)"))
	want := resource.NewAttrs(resource.Attr{Name: "provider", Value: resource.String("k3d")},
		resource.Attr{Name: "subnet", Value: resource.String("10.9.0.0/16")},
		resource.Attr{Name: "http_port", Value: resource.Int(20000)},
		resource.Attr{Name: "https_port", Value: resource.Int(20001)})
	if got := in.Resources[0].Attrs; !resource.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

// TestAnAbsentRowFreesItsPorts: another row may have them, and the subnet.
func TestAnAbsentRowFreesItsPorts(t *testing.T) {
	in := load(t, table(t, t.TempDir(), sqlitetest.Schema(),
		`INSERT INTO clusters (name, provider, subnet, http_port, desired_state) VALUES
		('old', 'k3d', '10.9.0.0/16', 20000, 'absent'), ('new', 'k3d', '10.9.0.0/16', 20000, 'present')`))
	if len(in.Resources) != 1 {
		t.Errorf("got %+v", in.Resources)
	}
}

// TestAnOldFileIsReadAndNotChanged: the columns that it lacks have their defaults.
func TestAnOldFileIsReadAndNotChanged(t *testing.T) {
	dir := t.TempDir()
	s := table(t, dir, sqlitetest.Old(), "INSERT INTO clusters (name, provider) VALUES ('dev', 'kind')")
	before, _ := os.ReadFile(filepath.Join(dir, "clusters.db"))
	if in := load(t, s); len(in.Resources) != 1 {
		t.Errorf("got %+v", in.Resources)
	}
	if after, _ := os.ReadFile(filepath.Join(dir, "clusters.db")); string(after) != string(before) {
		t.Error("reading changes the file")
	}
}

func TestUnusableDatabases(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) *sqlite.Table { return sqlite.New(filepath.Join(dir, name), options()) }
	refused(t, at("none.db"), "the database does not exist")
	if _, err := os.Stat(filepath.Join(dir, "none.db")); err == nil {
		t.Error("reading creates the database")
	}
	for name, text := range map[string]string{
		"empty.db": "", "text.db": strings.Repeat("not a database ", 500),
		"head.db": "SQLite format 3\x00" + strings.Repeat("x", 5000),
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	refused(t, at("empty.db"), "the database is empty")
	refused(t, at("text.db"), "not a database of SQLite")
	refused(t, at("head.db"), "the database is damaged")
	refused(t, at("."), "cannot read the database: it is not a file")
	sqlitetest.Exec(t, filepath.Join(dir, "other.db"), "CREATE TABLE users (id)")
	refused(t, at("other.db"), "has no table clusters")
	sqlitetest.Exec(t, filepath.Join(dir, "short.db"), "CREATE TABLE clusters (name, provider, subnet, pf_port)")
	refused(t, at("short.db"), "has no column node_port, http_port, https_port")
}

// locked locks a database as another process would, until the test ends.
func locked(t *testing.T, path string) {
	t.Helper()
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	db.SetMaxOpenConns(1)
	if _, err := db.Exec("BEGIN EXCLUSIVE"); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
}

func TestALockedDatabaseIsAnErrorAfterAWhile(t *testing.T) {
	dir := t.TempDir()
	table(t, dir, sqlitetest.Schema(), sqlitetest.Shipped())
	path := filepath.Join(dir, "clusters.db")
	locked(t, path)
	o := options()
	o.Wait = 10 * time.Millisecond
	s := sqlite.New(path, o)
	refused(t, s, "the database is locked by another process", "when nothing writes to it")
	if err := s.Report(context.Background(), nil); err == nil || !strings.Contains(err.Error(), "locked") {
		t.Errorf("a report to a locked database: %v", err)
	}
}

// TestADatabaseThatIsInUseIsReadWithItsLog: what another process committed is read, though it is only
// in the write-ahead log.
func TestADatabaseThatIsInUseIsReadWithItsLog(t *testing.T) {
	dir := t.TempDir()
	s := table(t, dir, "PRAGMA journal_mode=wal", sqlitetest.Schema(), sqlitetest.Shipped())
	db, err := sql.Open("sqlite", filepath.Join(dir, "clusters.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.Exec("INSERT INTO clusters (name, provider) VALUES ('new', 'kind')"); err != nil {
		t.Fatal(err)
	}
	if in := load(t, s); len(in.Resources) != 7 {
		t.Errorf("%d clusters, want 7", len(in.Resources))
	}
}

func TestRecognizedByItsHeadNotOnlyItsName(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"fleet": "SQLite format 3\x00", "empty.db": "", "ovi.yaml": "version: v1",
		"empty": "",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for name, want := range map[string]bool{
		"fleet": true, "empty.db": true, "ovi.yaml": false, "empty": false,
		"none.db": false, ".": false,
	} {
		if got := sqlite.Reads(filepath.Join(dir, name)); got != want {
			t.Errorf("%s: %v, want %v", name, got, want)
		}
	}
}

// TestSettingsAndRowsAreOneStack: a file beside the table has what the table has no columns for.
func TestSettingsAndRowsAreOneStack(t *testing.T) {
	dir := t.TempDir()
	table(t, dir, sqlitetest.Schema(), sqlitetest.Shipped())
	o := options()
	o.ProviderOptions = func(string) []source.OptionRule { return []source.OptionRule{{Key: "management"}} }
	settings := func(text string) source.Source {
		o.Settings = config.New([]string{"s.yaml"}, config.Options{
			Options: o.Options, NoResources: true, Stack: "clusters", Files: fstest.MapFS{"s.yaml": {Data: []byte(text)}},
		})
		return sqlite.New(filepath.Join(dir, "clusters.db"), o)
	}
	in := load(t, settings("version: v1\nrules: {max_destroy: 1}\noptions: {fleet: {management: k3d-devops}}\n"))
	if in.Options.Providers["fleet"]["management"] != "k3d-devops" || !in.Rules.MaxDestroy.Set ||
		len(in.Resources) != 6 || in.Stack != "clusters" {
		t.Errorf("got %+v", in)
	}
	other := load(t, settings("version: v1\nrules: {max_destroy: 2}\n"))
	if other.Version == in.Version {
		t.Error("a change of the settings keeps the version")
	}
	refused(t, settings("version: v1\nrules: {max_destroi: 2}\n"), "max_destroi")
}

// TestAStatusIsNoChange: the version is of what the table declares.
func TestAStatusIsNoChange(t *testing.T) {
	dir := t.TempDir()
	s := table(t, dir, sqlitetest.Schema(), sqlitetest.Shipped())
	version := func() string {
		v, err := s.Version(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	first, loaded := version(), load(t, s).Version
	sqlitetest.Exec(t, filepath.Join(dir, "clusters.db"),
		"UPDATE clusters SET actual_state = 'running', updated_at = '2026-01-01T10:00:00.123'")
	if version() != first || load(t, s).Version != loaded {
		t.Error("a status changes the version")
	}
	sqlitetest.Exec(t, filepath.Join(dir, "clusters.db"), "UPDATE clusters SET http_port = 20000 WHERE name = 'dev'")
	if version() == first || load(t, s).Version == loaded {
		t.Error("a port does not change the version")
	}
}

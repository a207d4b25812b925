package main

import (
	"database/sql"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ovi-project/ovi/source/sqlite/sqlitetest"
)

// tableHost is a folder with Kindler's table and a fake engine, and a shell in it. The defects are those of
// Kindler's scripts, in the order of the review that found them. Defect 4 has its test in provider/cluster/haproxy
// (what is written by hand stays), 10 in provider/cluster (no annotation has a token).
type tableHost struct {
	t   *testing.T
	dir string
}

// newTableHost has the rows that Kindler ships and, with running, their clusters.
func newTableHost(t *testing.T, running bool) tableHost {
	t.Helper()
	t.Parallel()
	f := tableHost{t, t.TempDir()}
	sqlitetest.Exec(t, f.file("clusters.db"), sqlitetest.Schema(), sqlitetest.Shipped())
	if running {
		f.shell("0", "reconcile")
	}
	return f
}

func (f tableHost) file(name string) string { return filepath.Join(f.dir, name) }

func (f tableHost) touch(name string) {
	f.t.Helper()
	if err := os.WriteFile(f.file(name), nil, 0o600); err != nil {
		f.t.Fatal(err)
	}
}

func (f tableHost) sql(statement string) {
	f.t.Helper()
	sqlitetest.Exec(f.t, f.file("clusters.db"), statement)
}

func (f tableHost) names() []string {
	f.t.Helper()
	return sqlitetest.Quoted(f.t, f.file("clusters.db"), "SELECT name FROM clusters ORDER BY id")
}

// shell runs `ovi cluster` in a shell, which reads its exit code, and returns what it printed.
func (f tableHost) shell(want string, args ...string) string {
	f.t.Helper()
	if args[0] == "reconcile" {
		args = append(args, "--retry-wait=1ms", "--verify-wait=1ms", "--log-file=log")
	}
	cmd := ovi(f.t, f.dir, append([]string{"cluster"}, args...)...)
	cmd.Env = append(cmd.Env, "OVI_FAKE_CLUSTERS="+f.dir)
	return inShell(f.t, want, cmd)
}

// exists reports whether a cluster exists.
func (f tableHost) exists(name string) bool {
	_, err := os.Stat(f.file(name + ".json"))
	return err == nil
}

var shippedNames = []string{"devops", "dev", "uat", "prod", "dev-a", "dev-b", "dev-c"}

// TestDefect1_ExitCodesReachTheShell: a create succeeds, and the cluster never appears.
func TestDefect1_ExitCodesReachTheShell(t *testing.T) {
	f := newTableHost(t, false)
	f.touch(".vanish-dev")
	if out := f.shell("10", "reconcile"); !strings.Contains(out, "MISSING dev") {
		t.Errorf("it does not name the cluster:\n%s", out)
	}
	f.shell("10", "verify")
}

// TestDefect2_AMissingProgramPrunesNoRow: a listing that fails is no empty listing.
func TestDefect2_AMissingProgramPrunesNoRow(t *testing.T) {
	f := newTableHost(t, true)
	f.sql("UPDATE clusters SET desired_state = 'absent' WHERE name = 'dev'")
	f.touch(".missing")
	f.shell("12", "reconcile", "--prune-missing", "--prune-present", "--max-prune=100%")
	f.shell("12", "verify", "--cleanup-missing", "--prune-present", "--max-prune=100%")
	if diff := cmp.Diff(shippedNames, f.names()); diff != "" {
		t.Errorf("rows were deleted:\n%s", diff)
	}
	if !f.exists("dev") {
		t.Error("a cluster was deleted")
	}
}

// TestDefect3_AColdHostPrunesNoRow: every declared cluster is created.
func TestDefect3_AColdHostPrunesNoRow(t *testing.T) {
	f := newTableHost(t, false)
	f.shell("0", "reconcile", "--from-db", "--prune-missing")
	if diff := cmp.Diff(shippedNames, f.names()); diff != "" {
		t.Errorf("rows were deleted:\n%s", diff)
	}
	for _, name := range shippedNames[1:] {
		if !f.exists(name) {
			t.Errorf("%s was not created", name)
		}
	}
}

// TestDefect5_AnAbsentRowThatIsAbsentIsInOrder: it is not MISSING.
func TestDefect5_AnAbsentRowThatIsAbsentIsInOrder(t *testing.T) {
	f := newTableHost(t, true)
	f.sql("UPDATE clusters SET desired_state = 'absent' WHERE name = 'dev'")
	f.shell("0", "reconcile")
	f.shell("0", "verify")
	if f.exists("dev") {
		t.Error("the cluster still exists")
	}
}

// TestDefect6_AnUnknownDesiredStateCostsItsRow: the other rows go on.
func TestDefect6_AnUnknownDesiredStateCostsItsRow(t *testing.T) {
	f := newTableHost(t, false)
	f.sql("UPDATE clusters SET desired_state = 'paused' WHERE name = 'dev'")
	if out := f.shell("1", "reconcile"); !strings.Contains(out, "row dev, column desired_state") {
		t.Errorf("it does not name the cell:\n%s", out)
	}
	if f.exists("dev") || !f.exists("uat") {
		t.Error("want the clusters of the other rows, and of no other")
	}
}

// TestDefect8_AClusterThatIsListedIsNotHealthyForThat: a stopped one is MISSING.
func TestDefect8_AClusterThatIsListedIsNotHealthyForThat(t *testing.T) {
	f := newTableHost(t, true)
	b, err := os.ReadFile(f.file("dev.json"))
	if err != nil {
		t.Fatal(err)
	}
	stopped := strings.Replace(string(b), `"health":"healthy"`, `"health":"stopped"`, 1)
	if stopped == string(b) {
		t.Fatalf("no health in %s", b)
	}
	if err := os.WriteFile(f.file("dev.json"), []byte(stopped), 0o600); err != nil {
		t.Fatal(err)
	}
	f.shell("10", "verify")
}

// TestDefect9_ARowStaysUntilItsClusterIsGone: also if deleting the cluster fails.
func TestDefect9_ARowStaysUntilItsClusterIsGone(t *testing.T) {
	f := newTableHost(t, true)
	f.sql("UPDATE clusters SET desired_state = 'absent' WHERE name = 'dev'")
	f.touch(".refuse-dev")
	f.shell("1", "reconcile", "--prune-missing")
	if diff := cmp.Diff(shippedNames, f.names()); diff != "" {
		t.Errorf("rows were deleted:\n%s", diff)
	}
	if err := os.Remove(f.file(".refuse-dev")); err != nil {
		t.Fatal(err)
	}
	f.shell("0", "reconcile", "--prune-missing")
	if diff := cmp.Diff(append([]string{"devops"}, shippedNames[2:]...), f.names()); diff != "" {
		t.Errorf("rows:\n%s", diff)
	}
}

// TestDefect11_ARunWithoutOptionsReconciles: the web interface calls it so.
func TestDefect11_ARunWithoutOptionsReconciles(t *testing.T) {
	f := newTableHost(t, false)
	f.shell("0", "reconcile")
	if !f.exists("dev") {
		t.Error("no cluster was created")
	}
}

// TestALockedDatabaseDestroysNothing: while another program writes, no row is deleted and the status is a warning;
// while it keeps the database for itself, nothing is started.
func TestALockedDatabaseDestroysNothing(t *testing.T) {
	f := newTableHost(t, true)
	f.sql("UPDATE clusters SET desired_state = 'absent' WHERE name = 'dev'")
	db, err := sql.Open("sqlite", f.file("clusters.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	db.SetMaxOpenConns(1) // the lock is of one connection
	lock := func(statement string) {
		if _, err := db.Exec(statement); err != nil {
			t.Fatal(err)
		}
	}
	lock("BEGIN EXCLUSIVE")
	if out := f.shell("2", "reconcile", "--prune-missing"); !strings.Contains(out, "locked") {
		t.Errorf("it does not say why:\n%s", out)
	}
	if !f.exists("dev") {
		t.Error("a cluster was deleted")
	}
	lock("ROLLBACK")
	lock("BEGIN IMMEDIATE")
	out := f.shell("1", "reconcile", "--prune-missing")
	if !strings.Contains(out, "the status columns of clusters.db were not") || !strings.Contains(out, "locked") {
		t.Errorf("it does not say why:\n%s", out)
	}
	lock("ROLLBACK")
	if diff := cmp.Diff(shippedNames, f.names()); diff != "" {
		t.Errorf("rows were deleted:\n%s", diff)
	}
	f.shell("0", "reconcile", "--prune-missing")
	if diff := cmp.Diff(append([]string{"devops"}, shippedNames[2:]...), f.names()); diff != "" {
		t.Errorf("rows:\n%s", diff)
	}
}

// TestAnEmptyTableDestroysNothing: the rows may be gone by accident.
func TestAnEmptyTableDestroysNothing(t *testing.T) {
	f := newTableHost(t, true)
	f.sql("DELETE FROM clusters")
	for _, command := range []string{"reconcile", "verify", "consistency"} {
		args := []string{command}
		if command == "reconcile" {
			args = append(args, "--prune-missing")
		}
		if out := f.shell("2", args...); !strings.Contains(out, "declares no cluster") {
			t.Errorf("it does not say why:\n%s", out)
		}
	}
	if !f.exists("dev") {
		t.Error("a cluster was deleted")
	}
}

// TestDefect7_PortsComeFromTheRow, and what the row declares stays as it is, byte by byte.
func TestDefect7_PortsComeFromTheRow(t *testing.T) {
	const declared = "SELECT quote(name)||quote(provider)||quote(subnet)||quote(node_port)||quote(pf_port)||quote(http_port)||quote(https_port)||quote(desired_state) FROM clusters"
	f := newTableHost(t, false)
	before := sqlitetest.Quoted(t, f.file("clusters.db"), declared)
	f.shell("0", "reconcile")
	b, err := os.ReadFile(f.file("dev.json"))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`"http_port":18090`, `"https_port":18443`, `"node_port":30080`, `"pf_port":19001`, `"subnet":"10.101.0.0/16"`} {
		if !strings.Contains(string(b), want) {
			t.Errorf("the cluster lacks %s: %s", want, b)
		}
	}
	if diff := cmp.Diff(before, sqlitetest.Quoted(t, f.file("clusters.db"), declared)); diff != "" {
		t.Errorf("the rows changed:\n%s", diff)
	}
}

// TestRowsThatAreGoneDeleteFewClusters: rows may be gone by accident, as from a table of another site. More clusters
// than --max-prune stay, also in a dry run; what is shown as healthy is declared.
func TestRowsThatAreGoneDeleteFewClusters(t *testing.T) {
	f := newTableHost(t, true)
	f.sql("DELETE FROM clusters WHERE name NOT IN ('devops', 'dev-b', 'dev-c')")
	for want, args := range map[string][]string{
		"3":  {"reconcile", "--prune-missing", "--dry-run"},
		"11": {"reconcile", "--prune-missing"},
	} {
		out := f.shell(want, args...)
		if n := strings.Count(out, "4 of 6 clusters have no row any more, and --max-prune is 50%: raise it to delete them"); n < 4 || !strings.Contains(out, "2 clusters declared, 2 healthy") {
			t.Errorf("%v:\n%s", args, out)
		}
	}
	if out := f.shell("11", "reconcile"); !strings.Contains(out, "\nDRIFT dev no row declares it any more\n") {
		t.Errorf("without --prune-missing:\n%s", out)
	}
	if !f.exists("dev") || !f.exists("prod") {
		t.Error("clusters without a row are deleted")
	}
	f.shell("2", "reconcile", "--prune-missing", "--max-prune=half")
	f.shell("0", "reconcile", "--prune-missing", "--max-prune=4")
	if f.exists("dev") || f.exists("prod") || !f.exists("dev-b") {
		t.Error("the clusters without a row are not deleted, or others are")
	}
}

// TestABrokenClusterIsReplacedByNameAlone: it is failing and not unknown, the others and the rows go on, and each command
// says what to do. One that looks unfinished, and whose creation is recorded as done, is broken, too.
func TestABrokenClusterIsReplacedByNameAlone(t *testing.T) {
	f := newTableHost(t, true)
	born := func(name string) string {
		b, err := os.ReadFile(f.file(name + ".json"))
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	dev, uat := born("dev"), born("uat")
	f.touch(".broken-dev")
	f.touch(".unfinished-uat")
	out := f.shell("10", "reconcile")
	for _, want := range []string{
		"it is broken: its load balancer is missing", "--replace cluster/dev", "which loses everything in the cluster",
		"its load balancer is missing, and its creation is recorded as done", "--replace cluster/uat",
	} {
		if !strings.Contains(strings.Join(strings.Fields(out), " "), want) {
			t.Errorf("it does not say %q:\n%s", want, out)
		}
	}
	if born("dev") != dev || born("uat") != uat {
		t.Error("a cluster was replaced that was in use, and that nothing named")
	}
	if out := f.shell("10", "verify"); strings.Contains(out, "UNKNOWN") {
		t.Errorf("it is unknown:\n%s", out)
	}
	if out := f.shell("1", "consistency"); !strings.Contains(out, "cluster dev: different") {
		t.Errorf("a broken cluster is consistent:\n%s", out)
	}
	f.shell("0", "reconcile", "--replace=cluster/dev", "--replace=cluster/uat")
	if born("dev") == dev || born("uat") == uat {
		t.Error("one was not replaced, though it was named")
	}
	f.touch(".broken-dev")
	f.sql("UPDATE clusters SET desired_state = 'absent' WHERE name = 'dev'")
	f.shell("0", "reconcile", "--prune-missing")
	if f.exists("dev") {
		t.Error("it was not deleted, though no row declares it")
	}
}

// TestARenamedRowLosesNoCluster: a table has no word for a rename. The cluster of the former name stays, the plan names
// the command, and with it the cluster is the renamed row's.
func TestARenamedRowLosesNoCluster(t *testing.T) {
	f := newTableHost(t, true)
	born, err := os.ReadFile(f.file("dev-b.json"))
	if err != nil {
		t.Fatal(err)
	}
	says := func(out string, wants ...string) {
		t.Helper()
		for _, want := range wants {
			if !strings.Contains(strings.Join(strings.Fields(out), " "), want) {
				t.Errorf("it does not say %q:\n%s", want, out)
			}
		}
	}
	run := func(args ...string) string {
		t.Helper()
		cmd := ovi(t, f.dir, args...)
		cmd.Env = append(cmd.Env, "OVI_FAKE_CLUSTERS="+f.dir)
		return inShell(t, "0", cmd)
	}
	f.sql("UPDATE clusters SET name = 'dev-x' WHERE name = 'dev-b'")
	says(f.shell("10", "reconcile"), "no row declares it any more; --prune-missing deletes it",
		"it needs the host port of cluster/dev-b", "MISSING dev-x")
	says(run("plan", "clusters.db"), "if it is the same resource, run `ovi move cluster/dev-b cluster/dev-x`",
		"DATA LOSS: everything in the cluster")
	run("move", "cluster/dev-b", "cluster/dev-x", "-f", "clusters.db")
	says(run("plan", "clusters.db"), "No changes. 6 unchanged.")
	f.shell("0", "reconcile", "--prune-missing")
	f.shell("0", "verify")
	if now, err := os.ReadFile(f.file("dev-b.json")); err != nil || string(now) != string(born) {
		t.Errorf("the cluster is another one: %v\n%s\n%s", err, born, now)
	}
}

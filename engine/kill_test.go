package engine_test

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/ovi-project/ovi/coordinator"
	"github.com/ovi-project/ovi/decider"
	"github.com/ovi-project/ovi/engine"
	"github.com/ovi-project/ovi/ledger"
	"github.com/ovi-project/ovi/ledger/event"
	"github.com/ovi-project/ovi/ledger/local"
	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/provider/fake"
	"github.com/ovi-project/ovi/storage/bolt"
)

const victimEnv = "OVI_TEST_VICTIM"

// TestMain lets the test binary be the process that is killed.
func TestMain(m *testing.M) {
	if dir := os.Getenv(victimEnv); dir != "" {
		if err := victim(dir); err != nil {
			fmt.Println("error", err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// victim takes a claim, starts an action and hangs.
func victim(dir string) error {
	ctx := context.Background()
	l, err := local.Open(ctx, ledger.Config{Dir: dir, User: "victim"})
	if err != nil {
		return err
	}
	r := ref("disk", "d")
	c := coordinator.New(l.Claims(), coordinator.Identity{Instance: l.Instance(), Run: l.Run(), Host: "host", PID: os.Getpid()}, coordinator.WithTTL(time.Hour))
	return c.Hold(ctx, r.String(), func(ctx context.Context, claim coordinator.Claim) error {
		_, err := l.RecordUnder(ctx, coordinator.Guard(claim.Ref, claim.Token), event.Started{
			Ref: r, Key: "the-key", Action: decider.Create, Token: claim.Token, Desired: desiredOf(disk("d", 20)),
		})
		if err != nil {
			return err
		}
		fmt.Println("holding")
		<-ctx.Done()
		return nil
	})
}

// TestClaimsOfAKilledProcessAreRevoked kills a process that has a claim for an hour, in the middle
// of an action: the next plan revokes the claim and repeats the action at once, with the same key.
func TestClaimsOfAKilledProcessAreRevoked(t *testing.T) {
	dir := t.TempDir()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), self)
	cmd.Env = append(os.Environ(), victimEnv+"="+dir)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil || line != "holding\n" {
		t.Fatalf("the victim printed %q: %v", line, err)
	}

	store, err := bolt.Open(ledger.StorePath(dir))
	if err != nil {
		t.Fatal(err)
	}
	l, err := ledger.Open(t.Context(), ledger.Config{Dir: dir, Store: store, CloseStore: true, User: "ann"})
	if err != nil {
		t.Fatal(err)
	}
	b := &bench{t: t, dir: dir, store: store, cloud: fake.New("fake"), ledger: l}
	b.claims = coordinator.New(l.Claims(), coordinator.Identity{Instance: l.Instance(), Run: l.Run()})
	b.engine = engine.New(engine.Config{Providers: provider.Set{"fake": b.cloud}, Ledger: l, Claims: b.claims})
	defer b.stop()
	want := wants(disk("d", 20))
	if p := b.plan(want); len(p.Recovered) != 0 {
		t.Errorf("the action of a running process was recovered: %+v", p.Recovered)
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait()

	p := b.plan(want)
	if len(p.Recovered) != 1 || p.Recovered[0].Finding != event.FoundNotDone {
		t.Errorf("recovered %+v", p.Recovered)
	}
	r, err := b.engine.Apply(t.Context(), p, engine.ApplyOptions{})
	if err != nil || statuses(r)["disk/d"] != engine.Done {
		t.Fatalf("outcomes %v: %v", statuses(r), err)
	}
	if o, _, _ := b.cloud.Find(ref("disk", "d")); o.Marks.Key != "the-key" {
		t.Errorf("it was created with key %q: a late call of the killed process would create a second one", o.Marks.Key)
	}
	if diff := cmp.Diff([]string{"revoked disk/d"}, b.events(event.TypeRevoked)); diff != "" {
		t.Errorf("revocations (-want +got):\n%s", diff)
	}
	if dead, err := l.DeadRuns(); err != nil || len(dead) != 0 {
		t.Errorf("crashed runs remain: %v %v", dead, err)
	}
}

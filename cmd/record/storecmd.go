package record

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	urfave "github.com/urfave/cli/v2"

	"github.com/ovi-project/ovi/cmd/cli"
	"github.com/ovi-project/ovi/cmd/command"
	"github.com/ovi-project/ovi/cmd/session"
	"github.com/ovi-project/ovi/coordinator"
	"github.com/ovi-project/ovi/ledger"
	"github.com/ovi-project/ovi/ledger/event"
	"github.com/ovi-project/ovi/ledger/replay"
	"github.com/ovi-project/ovi/render"
	"github.com/ovi-project/ovi/resource"
)

// StoreCommand returns the command `ovi store`.
func StoreCommand(p *command.Process) *urfave.Command {
	return &urfave.Command{
		Name: "store", Category: command.GroupGovern,
		Usage: "Inspect or copy the store",
		Subcommands: []*urfave.Command{
			{
				Name: "status", ArgsUsage: "[SOURCE]", Usage: "Show size, revisions and instances",
				Flags:  []urfave.Flag{command.RecordFlag()},
				Action: p.Action(storeStatus),
			},
			{
				Name: "copy", ArgsUsage: "FROM TO", Usage: "Copy a store with its history to an empty one",
				Description: "FROM and TO are a data directory, a store.db, or etcd://HOST:2379/PREFIX. The copy is verified\n" +
					"with a digest. It has its own revision numbers and no claims. Stop the instances of FROM first.",
				Action: p.Action(storeCopy),
			},
			{
				Name: "trust", ArgsUsage: "[KEY]", Usage: "Show this instance's key, or trust the key of another instance",
				Description: "Instances of a shared store prove by their keys what each created. A key is pinned at its\n" +
					"first use, which raises an alert: what it signed counts, but nothing is deleted because of it.\n" +
					"KEY is confirmed by this command. With --required, no later key is pinned.",
				Flags:  session.TrustFlags(),
				Action: p.Action(session.StoreTrust),
			},
		},
	}
}

// storeRecord is the result of `store status` for programs.
type storeRecord struct {
	Store     string           `json:"store"`
	Revision  int64            `json:"revision"`
	Compacted int64            `json:"compacted"`
	Keys      int              `json:"keys"`
	Bytes     int64            `json:"bytes"`
	Claims    int              `json:"claims"`
	Instances []instanceRecord `json:"instances"`
}

type instanceRecord struct {
	Instance string `json:"instance"`
	Last     uint64 `json:"last"`
	Revision int64  `json:"revision"`
	At       string `json:"at"`
	Here     bool   `json:"here,omitempty"`
	// Lag is how many records of the log are not in the store yet; known of this instance only.
	Lag uint64 `json:"lag,omitempty"`
}

func storeStatus(c *command.Call) error {
	if err := c.AtMost(1); err != nil {
		return err
	}
	return session.WithMemory(c, c.Cmd.Args().Slice(), func(l *ledger.Ledger) error { return showStore(c, l) })
}

func showStore(c *command.Call, l *ledger.Ledger) error {
	s, err := recordOfStore(c, l)
	if err != nil {
		return err
	}
	if c.Out.Machine() {
		return c.Out.Records(render.Info{Type: "store", Data: s})
	}
	c.Out.Say("%s: revision %d, %s, %s, %s; readable from revision %d.", s.Store, s.Revision,
		render.Many(s.Keys, "key"), render.Many(s.Bytes, "byte"), render.Many(s.Claims, "claim"), s.Compacted)
	t := render.Table{Head: []string{"INSTANCE", "LAST RECORD", "REVISION", "TIME (UTC)", "NOTE"}, Flexible: 4}
	for _, i := range s.Instances {
		here := ""
		if i.Here {
			here = "this one; " + render.Many(i.Lag, "record") + " ahead of the store"
		}
		t.Rows = append(t.Rows, []string{i.Instance, fmt.Sprint(i.Last), fmt.Sprint(i.Revision), i.At, here})
	}
	return c.Out.Table(t, "No instances.")
}

func recordOfStore(c *command.Call, l *ledger.Ledger) (storeRecord, error) {
	s := storeRecord{Store: "file"}
	if name := c.StoreName(); name != "" {
		s.Store = "etcd"
	}
	stats, err := l.Store().Stats(c)
	if err != nil {
		return s, err
	}
	s.Revision, s.Compacted, s.Keys, s.Bytes = int64(stats.Revision), int64(stats.Compacted), stats.Keys, stats.Bytes
	claims, err := coordinator.New(l.Claims(), coordinator.Identity{}).List(c)
	if err != nil {
		return s, err
	}
	s.Claims = len(claims)
	all, err := l.Instances(c)
	for _, i := range all {
		r := instanceRecord{
			Instance: i.ID, Last: uint64(i.Last), Revision: int64(i.Revision),
			At: i.At.UTC().Format("2006-01-02 15:04:05"),
		}
		if i.ID == l.Instance() {
			r.Here, r.Lag = true, uint64(l.Log().Frontier().Seq-i.Last)
		}
		s.Instances = append(s.Instances, r)
	}
	return s, err
}

func storeCopy(c *command.Call) error {
	if c.Cmd.NArg() != 2 {
		return cli.Usage("use ovi store copy .ovi etcd://127.0.0.1:2379/ovi", "`ovi store copy` needs two stores")
	}
	from, fromName, err := command.EitherStore(c, c.Arg(0), true)
	if err != nil {
		return err
	}
	defer from.Close()
	to, toName, err := command.EitherStore(c, c.Arg(1), false)
	if err != nil {
		return err
	}
	copied, err := replay.Copy(c, from, to)
	if err == nil && strings.HasPrefix(toName, command.EtcdScheme) {
		err = replay.NewEpoch(c, from, to)
	}
	if err = errors.Join(err, to.Close()); err != nil {
		next := ""
		if errors.Is(err, replay.ErrNotEmpty) {
			next = "use an empty one: another prefix, or another file"
		}
		return &cli.Problem{Summary: "cannot copy the store", Err: err, Suggestion: next}
	}
	if err := moveNote(c, toName); err != nil {
		return err
	}
	if c.Out.Machine() {
		return c.Out.Records(render.Info{Type: "store_copied", Data: copied})
	}
	c.Out.Say("Copied %s with %s from %s to %s.", render.Many(copied.Revisions, "commit"),
		render.Many(copied.Keys, "version"), fromName, toName)
	c.Out.Say("Both are equal, commit by commit: %s.", copied.Digest)
	if copied.Base > 0 {
		c.Out.Say("Revisions of the source before %d were compacted and are one commit; the logs have them.", copied.Base)
	}
	if strings.HasPrefix(toName, command.EtcdScheme) {
		c.Out.Say("Use it with: --store %s, or OVI_STORE.", toName)
	}
	return nil
}

// moveNote removes the note that a data directory's store is elsewhere.
func moveNote(c *command.Call, file string) error {
	if strings.HasPrefix(file, command.EtcdScheme) || filepath.Base(file) != command.StoreFile {
		return nil
	}
	if err := os.Remove(filepath.Join(filepath.Dir(file), command.StoreNote)); err != nil &&
		!errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// revoke revokes a claim, on record.
func revoke(c *command.Call, l *ledger.Ledger, reason string) error {
	claims := coordinator.New(l.Claims(), coordinator.Identity{})
	all, err := claims.List(c)
	if err != nil {
		return err
	}
	stack, err := session.ChosenStack(c)
	if err != nil {
		return err
	}
	var found []coordinator.Claim
	for _, x := range all {
		if (x.Ref == c.Arg(0) || fitsClaim(x.Ref, c.Arg(0))) && isOf(x.Ref, stack) {
			found = append(found, x)
		}
	}
	if len(found) == 0 && stack != "" {
		return cli.Usage("see `ovi claims`", "%q is not claimed in stack %s", c.Arg(0), stack)
	}
	if len(found) == 0 {
		return cli.Usage("see `ovi claims`", "%q is not claimed", c.Arg(0))
	}
	if len(found) > 1 {
		var refs []resource.Ref
		for _, x := range found {
			if ref, ok := claimedResource(x.Ref); ok {
				refs = append(refs, ref)
			}
		}
		return cli.Usage("use one of "+strings.Join(session.Shortened(refs), ", "), "%d claims match %q", len(found),
			c.Arg(0))
	}
	gone, err := claims.Revoke(c, found[0].Ref, found[0].Token)
	if err != nil {
		return err
	}
	event := event.Revoked{ClaimedBy: holderOf(gone), Token: gone.Token, Who: c.User(), Reason: reason}
	if ref, ok := claimedResource(gone.Ref); ok {
		event.Ref = ref
	} else {
		event.Reason = gone.Ref + ": " + event.Reason
	}
	if _, err := l.Record(c, event); err != nil {
		return fmt.Errorf("the claim is revoked, but not recorded: %w", err)
	}
	c.Out.Say("%s is no longer claimed by %s. Run `ovi plan` to recover an action in flight.",
		claimName(gone.Ref, resource.Ref.Short), holderOf(gone))
	return nil
}

package edge

import (
	"cmp"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	urfave "github.com/urfave/cli/v2"

	"github.com/ovi-project/ovi/cmd/cli"
	"github.com/ovi-project/ovi/cmd/command"
	"github.com/ovi-project/ovi/cmd/session"
	"github.com/ovi-project/ovi/provider/edge"
	"github.com/ovi-project/ovi/provider/edge/link"
	"github.com/ovi-project/ovi/provider/edge/outbox"
	"github.com/ovi-project/ovi/render"
)

func edgeStatusCommand(p *command.Process) *urfave.Command {
	return &urfave.Command{
		Name: "status", ArgsUsage: "[SITE]",
		Usage: "Show the state of every deployment on every node",
		Description: "Run it on the host of an orchestrator, for a site or central, in its data directory (--data-dir, or\n" +
			"-f SOURCE). --events shows every status in order.",
		Flags: []urfave.Flag{
			command.RecordFlag(),
			&urfave.BoolFlag{Name: "events", Usage: "show every status, in order"},
		},
		Action: p.Action(edgeStatus),
	}
}

// statusOptions are the options of `ovi edge status`.
type statusOptions struct{ events bool }

func statusOptionsOf(c *command.Call) statusOptions {
	return statusOptions{events: c.Cmd.Bool("events")}
}

func edgeStatus(c *command.Call) error {
	o := statusOptionsOf(c)
	if err := c.AtMost(1); err != nil {
		return err
	}
	if site := c.Arg(0); site != "" && !edge.IsSite(site) {
		return cli.Usage("for example, ovi edge status berlin", "name one site")
	}
	dir := session.DataDir(c, session.Named(c, nil))
	if err := command.IsSafe(c, dir); err != nil {
		return err
	}
	file := edge.EventsFile(edgeIdentity(c, dir))
	events, err := outbox.Read(file)
	if err != nil {
		return &cli.Problem{
			Summary: "cannot read the events", File: file, Err: cli.Plain(err),
			Suggestion: "run it on the host of an orchestrator, with its --data-dir",
		}
	}
	events = slices.DeleteFunc(events, func(e link.Event) bool { return c.Arg(0) != "" && e.Site != c.Arg(0) })
	if o.events {
		return showEvents(c, events)
	}
	if err := showStatuses(c, statusesOf(events)); err != nil {
		return err
	}
	// The orders of this central orchestrator that no site has on record yet.
	given, err := edge.AllOrders(filepath.Dir(file))
	if err != nil || c.Out.Machine() {
		return err
	}
	for _, e := range events {
		if e.Class == link.ClassOrder && e.Node == "" && given[e.Site] <= e.Order {
			delete(given, e.Site)
		}
	}
	for _, site := range slices.Sorted(maps.Keys(given)) {
		if c.Arg(0) == "" || c.Arg(0) == site {
			c.Out.Say("Site %s has not confirmed order %d yet.", site, given[site])
		}
	}
	return nil
}

// edgeDeployment is a deployment on a node, for programs.
type edgeDeployment struct {
	Site     string        `json:"site"`
	Node     string        `json:"node"`
	Name     string        `json:"deployment"`
	Statuses []link.Status `json:"statuses"` // in order; the last is the current one
	Gaps     uint64        `json:"lost,omitempty"`
	// Failed is the failure of a newer version, while the version before it is still the one that serves.
	Failed *link.Event `json:"failed,omitempty"`
	served string      // the version that was installed last
	link.Event
}

// requestedOf is the version that a request was for.
func requestedOf(e *link.Event) string { return cmp.Or(e.Requested, e.Version) }

// version names the version that runs, and a newer one that failed.
func (d *edgeDeployment) version() string {
	if d.Failed == nil || requestedOf(d.Failed) == d.Version {
		return d.Version
	}
	return d.Version + ", " + requestedOf(d.Failed) + " failed"
}

// statusesOf are the deployments of all nodes, sorted.
func statusesOf(events []link.Event) []edgeDeployment {
	type key struct {
		site, node, name string
		order            bool
	}
	all := map[key]*edgeDeployment{}
	for _, e := range events {
		k := key{e.Site, e.Node, e.Deployment, e.Class == link.ClassOrder}
		d := all[k]
		if d == nil {
			d = &edgeDeployment{Site: e.Site, Node: e.Node, Name: e.Deployment}
			all[k] = d
		}
		if d.Event = e; e.Gap > 0 {
			d.Gaps += e.Seq - e.Gap + 1
			continue
		}
		d.Statuses = append(d.Statuses, e.To)
		// A version that failed is noted until another one than the last good one is installed.
		requested := e.Request == link.Install || e.Request == link.Update
		switch {
		case e.To == link.StatusDeleted && e.Request == link.Delete:
			d.Failed, d.served = nil, ""
		case e.To == link.StatusFailed && requested && requestedOf(&e) != d.served:
			d.Failed = &e
		case e.To == link.StatusInstalled && requested:
			if e.Version != d.served {
				d.Failed = nil
			}
			d.served = e.Version
		}
	}
	out := make([]edgeDeployment, 0, len(all))
	for _, d := range all {
		out = append(out, *d)
	}
	slices.SortFunc(out, func(a, b edgeDeployment) int {
		return cmp.Or(cmp.Compare(a.Site, b.Site), cmp.Compare(a.Node, b.Node), cmp.Compare(a.Name, b.Name))
	})
	return out
}

func showStatuses(c *command.Call, all []edgeDeployment) error {
	t := render.Table{
		Head:     []string{"NODE", "DEPLOYMENT", "STATUS", "VERSION", "HEALTH", "IMAGE", "SINCE", "STATUSES"},
		Flexible: 7,
	}
	for _, d := range all {
		if c.Out.Machine() {
			if err := c.Out.Records(render.Info{Type: "edge_status", Data: d}); err != nil {
				return err
			}
			continue
		}
		if d.Class == link.ClassOrder && d.Message == "" {
			continue // nothing is frozen or locked any more
		}
		if s := siteStatusOf(d.Event); s != "" {
			t.Rows = append(t.Rows, []string{nodeName(d.Event), d.Name, s, "", "", "", c.Ago(d.At), d.Message})
			continue
		}
		if d.Name == "" && d.Gaps == 0 {
			continue // an error was shown on the node: see --events
		}
		if d.Name == "" { // not of one deployment
			t.Rows = append(t.Rows, []string{
				nodeName(d.Event), "", strconv.FormatUint(d.Gaps, 10) + " events lost", "", "", "",
				c.Ago(d.At), "",
			})
			continue
		}
		texts := make([]string, len(d.Statuses))
		for i, s := range d.Statuses {
			texts[i] = string(s)
		}
		t.Rows = append(t.Rows, []string{
			nodeName(d.Event), d.Name, string(d.To), d.version(), string(d.Health), d.Image,
			c.Ago(d.At), strings.Join(texts, ", "),
		})
	}
	if c.Out.Machine() {
		return nil
	}
	return c.Out.Table(t, "No node has reported a deployment.")
}

// siteStatusOf is the status of an event that an orchestrator made, not a node; "" means that a node did.
func siteStatusOf(e link.Event) string {
	switch {
	case e.Class == link.ClassRollout && e.Wave != nil:
		return fmt.Sprintf("wave %d of %d", e.Wave.Reach, e.Wave.Of)
	case e.Class == link.ClassAlarm, e.Class == link.ClassOrder:
		return e.Class
	}
	return ""
}

// nodeName is the node of an event, or the site where it is about that.
func nodeName(e link.Event) string { return strings.TrimSuffix(e.Site+"/"+e.Node, "/") }

func showEvents(c *command.Call, events []link.Event) error {
	t := render.Table{Head: []string{
		"TIME (UTC)", "NODE", "DEPLOYMENT", "STATUS", "VERSION", "REQUEST", "ATTEMPT",
		"NOTE",
	}, Flexible: 7}
	for _, e := range events {
		if c.Out.Machine() {
			if err := c.Out.Records(render.Info{Type: "edge_event", Data: e}); err != nil {
				return err
			}
			continue
		}
		attempt := ""
		if e.Attempt > 0 {
			attempt = strconv.Itoa(e.Attempt)
		}
		status, note := cmp.Or(siteStatusOf(e), string(e.To)), e.Message
		if e.Class == link.ClassOrder && note == "" {
			note = "nothing is frozen or locked"
		}
		if e.Gap > 0 {
			status = strconv.FormatUint(e.Seq-e.Gap+1, 10) + " events lost"
		}
		if e.Class != "" && siteStatusOf(e) == "" {
			note = e.Class + ": " + note
		}
		t.Rows = append(t.Rows, []string{
			e.At.UTC().Format("2006-01-02 15:04:05"), nodeName(e), e.Deployment, status,
			e.Version, string(e.Request), attempt, note,
		})
	}
	if c.Out.Machine() {
		return nil
	}
	return c.Out.Table(t, "No node has reported a deployment.")
}

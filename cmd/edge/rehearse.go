package edge

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	urfave "github.com/urfave/cli/v2"

	"github.com/ovi-project/ovi/cmd/cli"
	"github.com/ovi-project/ovi/cmd/command"
	"github.com/ovi-project/ovi/cmd/edge/rehearse"
	"github.com/ovi-project/ovi/cmd/session"
	"github.com/ovi-project/ovi/ledger"
	"github.com/ovi-project/ovi/ledger/event"
	"github.com/ovi-project/ovi/ledger/local"
	"github.com/ovi-project/ovi/provider/edge"
	"github.com/ovi-project/ovi/render"
	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/resource/rules"
)

func edgeRehearseCommand(p *command.Process) *urfave.Command {
	return &urfave.Command{
		Name: "rehearse", ArgsUsage: "SOURCE",
		Usage: "Go through a rollout on virtual nodes and virtual time",
		Description: "SOURCE is the site folder that you plan to push. ovi simulates its nodes, starting from the " +
			"configuration in --from, and makes decisions with the orchestrator's own code. Hours of waves, " +
			"pauses and windows take seconds, and ovi contacts no real node. A configuration that waits for the " +
			"central orchestrator is promoted at once.",
		Flags: []urfave.Flag{
			&urfave.StringFlag{Name: "from", Usage: "the nodes run what `SOURCE` has first, such as the same folder at " +
				"another ref; if omitted, nothing"},
			&urfave.StringFlag{Name: "fail", Usage: "what is new fails on `LIMIT` nodes: a number, or a share", Value: "0"},
			&urfave.StringFlag{
				Name: "offline", Usage: "`LIMIT` nodes are offline when it begins: a number, or a share",
				Value: "0",
			},
			&urfave.DurationFlag{Name: "away", Usage: "they are back after `DURATION`; 0 means that they stay " +
				"offline", Value: time.Hour},
			&urfave.DurationFlag{
				Name: "takes", Usage: "a request takes a node `DURATION`, up to a quarter less or more",
				Value: 20 * time.Second,
			},
			&urfave.DurationFlag{Name: "interval", Usage: "the interval of the orchestrator", Value: edgeInterval},
			&urfave.DurationFlag{Name: "most", Usage: "end after `DURATION` of virtual time", Value: 7 * 24 * time.Hour},
			&urfave.Uint64Flag{Name: "seed", Usage: "which nodes fail or are offline, and how long each takes: the same " +
				"`NUMBER`, the same rehearsal", Value: 1},
		},
		Action: p.Action(edgeRehearse),
	}
}

// rehearseOptions are the options of `ovi edge rehearse`.
type rehearseOptions struct {
	from, fail, offline         string
	away, takes, interval, most time.Duration
	seed                        uint64
}

func rehearseOptionsOf(c *command.Call) rehearseOptions {
	return rehearseOptions{
		from: c.Cmd.String("from"), fail: c.Cmd.String("fail"), offline: c.Cmd.String("offline"),
		away: c.Cmd.Duration("away"), takes: c.Cmd.Duration("takes"), interval: c.Cmd.Duration("interval"),
		most: c.Cmd.Duration("most"), seed: c.Cmd.Uint64("seed"),
	}
}

// edgeMoment is one line of a rehearsal.
type edgeMoment struct {
	Seconds float64 `json:"seconds"`       // of virtual time, since the start
	Ref     string  `json:"ref,omitempty"` // of what goes back or is given up
	Text    string  `json:"text"`
}

// momentText is a line without digests, which are those of a rehearsal.
func momentText(e event.Event) string {
	switch e := e.(type) {
	case event.Wave:
		if e.Halted {
			return fmt.Sprintf("%s halted in wave %d of %d: %s", e.Name, e.Reach, e.Of,
				strings.ReplaceAll(e.Why, e.Stack+"/", ""))
		}
		return fmt.Sprintf("%s started wave %d of %d", e.Name, e.Reach, e.Of)
	case event.Exhausted:
		text := fmt.Sprintf("%s on %s: %s failed", e.Ref.Name, path.Base(e.Ref.Location), render.Many(e.Attempts, "attempt"))
		if e.Back != "" {
			text += ", back to its last good one"
		}
		return text
	}
	return render.Line(e)
}

func edgeRehearse(c *command.Call) (err error) {
	dir, err := os.MkdirTemp("", "ovi-rehearse-*")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	o, err := rehearsal(c, dir, rehearseOptionsOf(c))
	if err != nil {
		return err
	}
	o.Tell = func(after time.Duration, e event.Event) {
		if c.Out.Machine() {
			_ = c.Out.Records(render.Info{
				Type: "edge_moment",
				Data: edgeMoment{after.Seconds(), e.About().String(), momentText(e)},
			})
			return
		}
		c.Out.Say("%9s  %s", virtually(after), momentText(e))
	}
	r, err := rehearse.Run(c, o, func(clock func() time.Time) (*ledger.Ledger, error) {
		return local.Open(c, ledger.Config{
			Dir: filepath.Join(dir, "data"), User: c.User(), UID: c.UID(), Host: c.Host(),
			Clock: clock,
		})
	})
	if err != nil {
		return err
	}
	return showRehearsal(c, o, r)
}

// virtually is a time since the start of a rehearsal.
func virtually(d time.Duration) string { return "+" + d.Round(time.Second).String() }

// rehearsal returns the rehearsal that the command line asks for.
func rehearsal(c *command.Call, dir string, given rehearseOptions) (o rehearse.Options, err error) {
	paths, err := session.Sources(c, c.Cmd.Args().Slice()...)
	if err != nil {
		return o, err
	}
	o = rehearse.Options{
		Start: c.Now(), Most: given.most, Interval: given.interval, Takes: given.takes, Away: given.away, Seed: given.seed,
	}
	for _, x := range []struct {
		name         string
		given, least time.Duration
	}{
		{"most", given.most, time.Second},
		{"interval", given.interval, time.Second},
		{"takes", given.takes, 0},
		{"away", given.away, 0},
	} {
		if x.given < x.least {
			return o, cli.Usage("use --"+x.name+" 1m", "--%s must be at least %s", x.name, x.least)
		}
	}
	if o.To, err = siteOf(c, paths, dir); err != nil {
		return o, err
	}
	if given.from != "" {
		if o.From, err = siteOf(c, []string{given.from}, dir); err != nil {
			return o, err
		}
		if a, b := o.From[0].Stack, o.To[0].Stack; a != b {
			return o, cli.Usage("give both the same `site` in their site.yaml", "--from is site %s, and SOURCE is site %s", a, b)
		}
	}
	if o.Rules, err = session.Policies(c, o.To); err != nil {
		return o, err
	}
	nodes := len(o.To[0].Scopes)
	if o.Fail, err = shareOf("fail", given.fail, nodes); err != nil {
		return o, err
	}
	o.Offline, err = shareOf("offline", given.offline, nodes)
	return o, err
}

// siteOf reads a site. What waits to be promoted does not wait here.
func siteOf(c *command.Call, paths []string, dir string) ([]resource.Intent, error) {
	all, err := session.Load(c, paths, dir)
	if err != nil {
		return nil, err
	}
	for i := range all {
		if slices.ContainsFunc(all[i].Scopes, func(s resource.Scope) bool { return s.Provider != edge.Name }) {
			return nil, cli.Usage("name the folder of a site, with a site.yaml", "%s is not a site", all[i].Source)
		}
		all[i].Rules.Updates = slices.Clone(all[i].Rules.Updates)
		for k := range all[i].Rules.Updates {
			all[i].Rules.Updates[k].Promote = false
		}
	}
	if len(all) != 1 || len(all[0].Scopes) == 0 {
		return nil, cli.Usage("name one folder with a site.yaml that has nodes", "there is no site with nodes in %s",
			paths[0])
	}
	return all, nil
}

// shareOf is a number of nodes.
func shareOf(flag, limit string, nodes int) (int, error) {
	b, err := rules.ParseBudget(limit)
	if err != nil {
		return 0, cli.Usage("use a number of nodes, for example 3, or a share, for example 5%", "invalid --%s %q", flag,
			limit)
	}
	n := b.Count
	if b.Percent {
		n = (b.Count*nodes + 99) / 100
	}
	return min(n, nodes), nil
}

// rehearsed is a deployment at the end of a rehearsal.
type rehearsed struct {
	Deployment string         `json:"deployment"`
	Nodes      int            `json:"nodes"`
	Wanted     int            `json:"as_configured"` // run what is configured, and are healthy
	Others     int            `json:"others"`        // run another version
	Failing    int            `json:"failing"`       // are not healthy
	Offline    int            `json:"offline"`       // are offline, whatever they run
	Median     float64        `json:"median_seconds"`
	Worst      float64        `json:"worst_seconds"`
	Why        map[string]int `json:"why,omitempty"` // how many are not as configured, by the reason

	after []time.Duration
}

// rehearsalEnd is the end of a rehearsal, for programs.
type rehearsalEnd struct {
	Seconds     float64     `json:"seconds"` // of virtual time, until the last request was done
	Requests    int         `json:"requests"`
	AtRest      bool        `json:"at_rest"` // false: --most was over before
	Deployments []rehearsed `json:"deployments"`
}

func byDeployment(r *rehearse.Result) []rehearsed {
	all := map[string]*rehearsed{}
	of := func(name string) *rehearsed {
		if all[name] == nil {
			all[name] = &rehearsed{Deployment: name, Why: map[string]int{}}
		}
		return all[name]
	}
	for _, x := range r.Nodes {
		d := of(x.Ref.Name)
		d.Nodes++
		switch {
		case x.Offline:
			d.Offline++
		case x.Wanted:
			d.Wanted++
			d.after = append(d.after, x.After)
		case x.Failing:
			d.Failing++
		default:
			d.Others++
		}
	}
	for _, l := range r.Left {
		of(l.Ref.Name).Why[l.Why]++
	}
	var out []rehearsed
	for _, name := range slices.Sorted(maps.Keys(all)) {
		d := all[name]
		if slices.Sort(d.after); len(d.after) > 0 {
			d.Median, d.Worst = d.after[len(d.after)/2].Seconds(), d.after[len(d.after)-1].Seconds()
		}
		out = append(out, *d)
	}
	return out
}

func showRehearsal(c *command.Call, o rehearse.Options, r *rehearse.Result) error {
	end := rehearsalEnd{r.After.Seconds(), r.Requests, r.AtRest, byDeployment(r)}
	if c.Out.Machine() {
		return c.Out.Records(render.Info{Type: "edge_rehearsal", Data: end})
	}
	t := render.Table{Head: []string{
		"DEPLOYMENT", "NODES", "AS CONFIGURED", "ANOTHER VERSION", "FAILING", "OFFLINE",
		"MEDIAN", "WORST",
	}}
	seconds := func(n float64) string { return virtually(time.Duration(n * float64(time.Second))) }
	for _, d := range end.Deployments {
		t.Rows = append(t.Rows, []string{
			d.Deployment, fmt.Sprint(d.Nodes), fmt.Sprint(d.Wanted), fmt.Sprint(d.Others),
			fmt.Sprint(d.Failing), fmt.Sprint(d.Offline), seconds(d.Median), seconds(d.Worst),
		})
	}
	if err := c.Out.Table(t, "The site has no deployments."); err != nil {
		return err
	}
	for _, d := range end.Deployments {
		for _, why := range slices.Sorted(maps.Keys(d.Why)) {
			c.Out.Say("%s on %s: %s", d.Deployment, render.Many(d.Why[why], "node"),
				strings.ReplaceAll(why, r.Nodes[0].Ref.Stack+"/", ""))
		}
	}
	if !r.AtRest {
		c.Out.Warn(fmt.Sprintf("after %s of virtual time it is not at rest", o.Most), "raise --most")
	}
	c.Out.Say("%s, the last one done after %s.", render.Many(r.Requests, "request"), virtually(r.After)[1:])
	return nil
}

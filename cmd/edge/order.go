package edge

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	urfave "github.com/urfave/cli/v2"

	"github.com/ovi-project/ovi/cmd/cli"
	"github.com/ovi-project/ovi/cmd/command"
	"github.com/ovi-project/ovi/cmd/session"
	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/provider/edge"
	"github.com/ovi-project/ovi/provider/edge/link"
	"github.com/ovi-project/ovi/provider/edge/outbox"
	"github.com/ovi-project/ovi/render"
	"github.com/ovi-project/ovi/resource"
)

func edgeFreezeCommand(p *command.Process) *urfave.Command {
	return &urfave.Command{
		Name: "freeze", ArgsUsage: "SITE",
		Usage: "Order a site to start no new configuration, on the host of the central orchestrator",
		Description: "Updates in progress finish. Unhealthy deployments are restarted; lost ones are installed again with\n" +
			"their last good configuration. Nothing is deleted. The orchestrator of the site records the order\n" +
			"when it is connected (`ovi edge status` shows when), and follows it while the central one is away.",
		Flags:  []urfave.Flag{command.RecordFlag(), command.ReasonFlag()},
		Action: p.Action(func(c *command.Call) error { return edgeFreeze(c, true) }),
	}
}

func edgeUnfreezeCommand(p *command.Process) *urfave.Command {
	return &urfave.Command{
		Name: "unfreeze", ArgsUsage: "SITE",
		Usage:  "Let a site start new configurations again",
		Flags:  []urfave.Flag{command.RecordFlag(), command.ReasonFlag()},
		Action: p.Action(func(c *command.Call) error { return edgeFreeze(c, false) }),
	}
}

func edgePromoteCommand(p *command.Process) *urfave.Command {
	return &urfave.Command{
		Name: "promote", ArgsUsage: "SITE/DEPLOYMENT",
		Usage: "Let the next wave of a deployment start, on the host of the central orchestrator",
		Description: "Use it for deployments with `promote: central`. It promotes the configuration that the site " +
			"reported last; a later one waits again.",
		Flags: []urfave.Flag{
			command.RecordFlag(), command.ReasonFlag(),
			&urfave.IntFlag{Name: "wave", Usage: "promote up to wave `N` (default: the next one)"},
		},
		Action: p.Action(edgePromote),
	}
}

// promoteOptions are the options of `ovi edge promote`.
type promoteOptions struct {
	wave int
	upTo bool // a wave is given
}

func promoteOptionsOf(c *command.Call) promoteOptions {
	return promoteOptions{wave: c.Cmd.Int("wave"), upTo: c.Cmd.IsSet("wave")}
}

func edgeFreeze(c *command.Call, on bool) error {
	verb, site := c.Cmd.Command.Name, c.Arg(0)
	if c.Cmd.NArg() != 1 || !edge.IsSite(site) {
		return cli.Usage("for example, ovi edge "+verb+" berlin", "name one site")
	}
	a := session.Act(c)
	o, err := orderSite(c, site, func(o *provider.Orders) { o.Frozen, o.Who, o.Reason = on, a.Who, a.Reason })
	if err != nil {
		return err
	}
	past := map[bool]string{true: "frozen", false: "unfrozen"}[on]
	return sayOrder(c, past, c.Arg(0), o, past)
}

// orderGiven is an order for programs.
type orderGiven struct {
	Order  uint64 `json:"order"`
	Target string `json:"target"`
}

// sayOrder shows an order.
func sayOrder(c *command.Call, kind, target string, o provider.Orders, text string) error {
	if c.Out.Machine() {
		return c.Out.Records(render.Info{Type: kind, Data: orderGiven{o.Number, target}})
	}
	c.Out.Say("Order %d for %s: %s.", o.Number, target, text)
	return nil
}

// orderSite changes the orders for a site, in the folder of the central orchestrator.
func orderSite(c *command.Call, site string, change func(*provider.Orders)) (provider.Orders, error) {
	dir, err := edgeFolder(c)
	if err != nil {
		return provider.Orders{}, err
	}
	return edge.Order(dir, site, c.Now(), change)
}

func edgePromote(c *command.Call) error {
	given := promoteOptionsOf(c)
	site, name, _ := strings.Cut(c.Arg(0), "/")
	if c.Cmd.NArg() != 1 || !edge.IsNode(c.Arg(0)) {
		return cli.Usage("for example, ovi edge promote berlin/web", "name a deployment of a site, SITE/DEPLOYMENT")
	}
	at, err := reachedWave(c, site, name)
	if err != nil {
		return err
	}
	wave := at.Reach + 1
	if given.upTo {
		wave = given.wave
	}
	if wave <= at.Reach || wave > at.Of {
		return resource.Advise(fmt.Errorf("wave %d of %s cannot be promoted: configuration %s has started wave %d of %d",
			wave, c.Arg(0), resource.ShortDigest(at.Version), at.Reach, at.Of),
			"run `ovi edge status "+site+"` to see which waits")
	}
	a := session.Act(c)
	o, err := orderSite(c, site, func(o *provider.Orders) {
		o.Promoted = slices.DeleteFunc(o.Promoted, func(p provider.Promotion) bool { return p.Name == name })
		o.Promoted = append(o.Promoted, provider.Promotion{
			Name: name, Version: at.Version, Wave: wave, Who: a.Who,
			Reason: a.Reason,
		})
	})
	if err != nil {
		return err
	}
	return sayOrder(c, "promoted", c.Arg(0), o,
		fmt.Sprintf("configuration %s promoted up to wave %d", resource.ShortDigest(at.Version), wave))
}

// reachedWave is how far the newest configuration of a deployment has come that a site reported.
func reachedWave(c *command.Call, site, name string) (link.Wave, error) {
	dir, err := edgeFolder(c)
	if err != nil {
		return link.Wave{}, err
	}
	events, err := outbox.Read(edge.EventsFile(dir))
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return link.Wave{}, err
	}
	for _, e := range slices.Backward(events) {
		if e.Site == site && e.Node == "" && e.Deployment == name && e.Wave != nil {
			return *e.Wave, nil
		}
	}
	return link.Wave{}, resource.Advise(fmt.Errorf("site %s has reported no waves of %s", site, name),
		"set `update: {promote: central}` of the deployment, and run this on the host of the central orchestrator")
}

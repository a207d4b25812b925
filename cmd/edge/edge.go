package edge

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"time"

	urfave "github.com/urfave/cli/v2"

	"github.com/ovi-project/ovi/cmd/cli"
	"github.com/ovi-project/ovi/cmd/command"
	"github.com/ovi-project/ovi/cmd/reconcile"
	"github.com/ovi-project/ovi/cmd/session"
	"github.com/ovi-project/ovi/provider/edge"
	"github.com/ovi-project/ovi/provider/edge/identity"
	"github.com/ovi-project/ovi/provider/edge/node"
	"github.com/ovi-project/ovi/resource"
)

// defaultEdge is where the orchestrator of a site listens for its nodes.
const defaultEdge = "127.0.0.1:7400"

// Command returns the command `ovi edge`.
func Command(p *command.Process) *urfave.Command {
	return &urfave.Command{
		Name: "edge", Category: command.GroupReconcile,
		Usage:       "Reconcile the nodes of a site",
		Description: "docs/edge.md describes sites, nodes and deployments.",
		Subcommands: []*urfave.Command{
			edgeOrchestratorCommand(p), edgeNodeCommand(p), edgeTokenCommand(p),
			edgeRevokeCommand(p), edgeResumeCommand(p), edgeLockCommand(p), edgeUnlockCommand(p), edgeCentralCommand(p),
			edgeFreezeCommand(p), edgeUnfreezeCommand(p), edgePromoteCommand(p), edgeStatusCommand(p), edgeSimulateCommand(p),
			edgeRehearseCommand(p),
		},
	}
}

func edgeOrchestratorCommand(p *command.Process) *urfave.Command {
	run := reconcile.RunCommand(p)
	for _, f := range run.Flags {
		switch f := f.(type) {
		case *urfave.DurationFlag:
			if f.Name == "interval" {
				f.Value = edgeInterval
			}
		case *urfave.BoolFlag:
			f.Value = f.Name == "auto-approve" || f.Name == "allow-destroy"
		}
	}
	return &urfave.Command{
		Name: "lo", ArgsUsage: "SOURCE",
		Usage: "Orchestrate a site: read its deployments, and let its nodes do what they need",
		Description: "SOURCE is the folder of a site, in Git or on this host. It is reconciled as by `ovi run " +
			"--auto-approve\n" +
			"--allow-destroy`; --auto-approve=false only plans and reports, --allow-destroy=false\n" +
			"deletes nothing. Nodes dial --edge-listen (default " + defaultEdge +
			"). With --edge-co every event of the nodes is\n" +
			"sent to the central orchestrator at that address.",
		Flags: append([]urfave.Flag{
			&urfave.StringFlag{
				Name:  "co-token-file",
				Usage: "enroll with the central orchestrator with the token in `FILE`, of ovi edge token SITE; needed once",
			},
		}, run.Flags...),
		Action: p.Staying(edgeOrchestrator),
	}
}

// orchestratorOptions are the options that `ovi edge lo` has besides those of `ovi run`.
type orchestratorOptions struct{ tokenFile string }

func orchestratorOptionsOf(c *command.Call) orchestratorOptions {
	return orchestratorOptions{tokenFile: c.Cmd.String("co-token-file")}
}

func edgeOrchestrator(c *command.Call) error {
	o := orchestratorOptionsOf(c)
	if c.Getenv("OVI_EDGE_LISTEN") == "" {
		if err := c.Assume("edge-listen", defaultEdge); err != nil {
			return err
		}
	}
	paths, err := session.LoopSources(c)
	if err != nil {
		return err
	}
	if optionOf(c, edge.Name, "identity") == "" {
		dir, err := filepath.Abs(edgeIdentity(c, session.DataDir(c, paths)))
		if err != nil {
			return err
		}
		if err := c.Cmd.Set("edge-identity", dir); err != nil {
			return err
		}
	}
	if address := optionOf(c, edge.Name, "co"); address != "" {
		// The orchestrator of the site enrolls with the central one.
		folder := optionOf(c, edge.Name, "identity")
		if err := errors.Join(command.IsSafe(c, session.DataDir(c, paths)), command.CreateDir(session.DataDir(c, paths)),
			os.MkdirAll(folder, 0o700)); err != nil {
			return err
		}
		intents, err := session.AcceptSoon(c, paths, session.DataDir(c, paths))
		if err != nil {
			return err
		}
		if err := enrolled(c, edge.CentralIdentity(folder, c.Now), intents[0].Stack, address, o.tokenFile); err != nil {
			return err
		}
	}
	return reconcile.RunLoop(c)
}

func edgeNodeCommand(p *command.Process) *urfave.Command {
	return &urfave.Command{
		Name:  "node",
		Usage: "Run what the orchestrator of the site asks for on this host",
		Description: "It starts what was running here before it dials, and needs the orchestrator for changes alone. An\n" +
			"orchestrator cannot ask for mounts, devices, privileges or the namespaces of the host. The --allow options\n" +
			"bound what it can ask for: without one of them, all images, ports or secrets are allowed; \"none\" allows none.",
		Flags: []urfave.Flag{
			&urfave.StringSliceFlag{
				Name:  "allow-image",
				Usage: "run only this `IMAGE`, without a tag, or all below a path, such as registry.example.com/*; repeatable",
			},
			&urfave.StringSliceFlag{
				Name: "allow-port", Usage: "publish only this `PORT` of the host, or range, such as 8000-8999; repeatable",
			},
			&urfave.StringSliceFlag{
				Name: "allow-secret", Usage: "give only this `SECRET` of the node to containers; repeatable",
			},
			&urfave.StringFlag{Name: "name", Usage: "this node, as `SITE/NODE`", Required: true},
			&urfave.StringFlag{Name: "lo", Usage: "the `ADDRESS` of the orchestrator of the site", Value: defaultEdge},
			&urfave.StringFlag{
				Name:  "token-file",
				Usage: "enroll with the token in `FILE`, of ovi edge token (or OVI_EDGE_TOKEN); needed once",
			},
			&urfave.DurationFlag{Name: "beat", Usage: "report at least every `DURATION`", Value: edgeBeat},
		},
		Action: p.Staying(edgeNode),
	}
}

// nodeOptions are the options of `ovi edge node`.
type nodeOptions struct {
	images, ports, secrets []string // that are allowed
	name, lo, tokenFile    string
	beat                   time.Duration
}

func nodeOptionsOf(c *command.Call) nodeOptions {
	return nodeOptions{
		images: c.Cmd.StringSlice("allow-image"), ports: c.Cmd.StringSlice("allow-port"),
		secrets: c.Cmd.StringSlice("allow-secret"), name: c.Cmd.String("name"), lo: c.Cmd.String("lo"),
		tokenFile: c.Cmd.String("token-file"), beat: c.Cmd.Duration("beat"),
	}
}

func edgeNode(c *command.Call) error {
	o := nodeOptionsOf(c)
	if !edge.IsNode(o.name) {
		return cli.Usage("for example, --name berlin/n1", "--name is %q", o.name)
	}
	bounds, err := node.ParseBounds(o.images, o.ports, o.secrets)
	if err != nil {
		return cli.Usage("run `ovi edge node --help`", "%v", err)
	}
	site, name, _ := strings.Cut(o.name, "/")
	id := identity.Node{Dir: nodeDir(c, o.name), Clock: c.Now}
	if err := enrolled(c, id, o.name, o.lo, o.tokenFile); err != nil {
		return err
	}
	containers := nodeContainers(c)
	location, err := awaitContainers(c, containers)
	if err != nil {
		return err
	}
	c.Out.Say("Node %s/%s runs containers, and dials %s", site, name, o.lo)
	if text := bounds.String(); text != "" {
		c.Out.Say("Allowed: %s", text)
	}
	return node.Run(c, node.Options{
		Site: site, Node: name, Address: o.lo, Connect: edge.Credentials(id, o.lo, c.Log.Named("node")),
		Beat: o.beat, Log: c.Log.Named("node"),
		Dir: id.Dir, Verify: id.Verify, Containers: containers, Bounds: bounds, Loud: c.Loud(id.Dir),
		Shown: func(record func(time.Time, string) error) error { return command.TakeShown(id.Dir, record) },
		Scope: resource.Scope{Provider: command.ChartProvider, Location: location},
	})
}

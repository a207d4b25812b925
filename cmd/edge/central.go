package edge

import (
	"context"
	"net"
	"os"

	urfave "github.com/urfave/cli/v2"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials"

	"github.com/ovi-project/ovi/cmd/cli"
	"github.com/ovi-project/ovi/cmd/command"
	"github.com/ovi-project/ovi/cmd/session"
	"github.com/ovi-project/ovi/provider/edge"
	"github.com/ovi-project/ovi/provider/edge/central"
	"github.com/ovi-project/ovi/provider/edge/identity"
	"github.com/ovi-project/ovi/provider/edge/link"
	"github.com/ovi-project/ovi/provider/edge/outbox"
)

// defaultCentral is where the central orchestrator listens for those of sites.
const defaultCentral = "127.0.0.1:7500"

func edgeCentralCommand(p *command.Process) *urfave.Command {
	return &urfave.Command{
		Name:  "co",
		Usage: "Keep the events of the nodes of all sites, and give the sites orders",
		Description: "Orchestrators of sites dial it (--edge-co of ovi edge lo), after they enrolled with a token of\n" +
			"`ovi edge token SITE` made here. Which versions run is in Git; `ovi edge freeze` and `ovi edge promote`\n" +
			"say when. `ovi edge status` shows what it keeps, in its data directory (--data-dir).",
		Flags: []urfave.Flag{
			command.RecordFlag(),
			&urfave.StringFlag{Name: "listen", Usage: "let the orchestrators of sites dial `ADDRESS`", Value: defaultCentral},
		},
		Action: p.Staying(edgeCentral),
	}
}

// centralOptions are the options of `ovi edge co`.
type centralOptions struct{ listen string }

func centralOptionsOf(c *command.Call) centralOptions {
	return centralOptions{listen: c.Cmd.String("listen")}
}

func edgeCentral(c *command.Call) error {
	o := centralOptionsOf(c)
	dir, err := edgeFolder(c)
	if err != nil {
		return err
	}
	authority, err := identity.Open(dir, c.Now)
	if err != nil {
		return err
	}
	// The newest of each deployment are kept besides.
	events, err := outbox.Open(edge.EventsFile(dir), outbox.Options{Keep: 1_000_000, Bytes: 512 << 20})
	if err != nil {
		return &cli.Problem{
			Summary: "cannot open the events", File: edge.EventsFile(dir), Err: err,
			Suggestion: "restore the file from a backup, or move it away",
		}
	}
	defer func() { _ = events.Close() }()
	var config net.ListenConfig
	listener, err := config.Listen(c, "tcp", o.listen)
	if err != nil {
		return &cli.Problem{Summary: "cannot listen", Err: err, Suggestion: "use another --listen ADDRESS"}
	}
	server := link.NewServer(central.Central{
		Gate: edge.Gate{Authority: authority, Alarm: centralAlarm(c, events)}, Outbox: events, Dir: dir,
		Log: c.Log.Named("co"),
	}, grpc.Creds(credentials.NewTLS(authority.Server())))
	defer context.AfterFunc(c, server.Stop)()
	c.Out.Say("The central orchestrator listens on %s.", listener.Addr())
	if err := server.Serve(link.Guard(listener)); err != nil && c.Err() == nil {
		return err
	}
	return nil
}

// centralAlarm keeps an alarm with the events, and shows it.
func centralAlarm(c *command.Call, events *outbox.Outbox) func(name, text string) {
	return func(name, text string) {
		err := edge.RecordAlarm(events, name, text, c.Now().UTC())
		if err == nil {
			err = events.Forget()
		}
		c.Out.Warn(text, "run `ovi edge status --events` to see when")
		if err != nil {
			c.Log.Error("an alarm is not kept", "error", err)
		}
	}
}

// edgeFolder is the folder of an orchestrator, in its data directory.
func edgeFolder(c *command.Call) (string, error) {
	dir := session.DataDir(c, session.Named(c, nil))
	if err := command.IsSafe(c, dir); err != nil {
		return "", err
	}
	folder := edgeIdentity(c, dir)
	return folder, os.MkdirAll(folder, 0o700)
}

package main

import (
	"context"
	"errors"
	"net"
	"net/http"
	"time"

	"github.com/ovi-project/ovi/cmd/cli"
	"github.com/ovi-project/ovi/cmd/command"
	"github.com/ovi-project/ovi/cmd/serve"
	"github.com/ovi-project/ovi/provider/aws/sandbox"
)

// sandboxServe serves the sandbox on loopback until it is interrupted.
func sandboxServe(c *command.Call) error {
	o := serveOptionsOf(c)
	if err := c.AtMost(1); err != nil {
		return err
	}
	host, port, err := net.SplitHostPort(o.listen)
	if err != nil {
		return cli.Usage("use an address such as 127.0.0.1:4599", "invalid --listen: %s", err)
	}
	address, ok := serve.Loopback(c, host, port)
	if !ok {
		return cli.Usage("use a loopback address such as 127.0.0.1:4599",
			"--listen %s is not loopback, and the sandbox has no access control", host)
	}
	return withCloud(c, c.Cmd.Args().Slice(), func(cloud *sandbox.Cloud) error {
		listener, err := net.Listen("tcp", address)
		if err != nil {
			return &cli.Problem{Summary: "cannot listen", Err: err, Suggestion: "use another port with --listen"}
		}
		c.Out.Say("The sandbox listens on http://%s. Press Ctrl-C to stop.", listener.Addr())
		server := &http.Server{Handler: cloud, ReadHeaderTimeout: 10 * time.Second}
		stop := context.AfterFunc(c, func() {
			ctx, cancel := context.WithTimeout(context.Background(), serve.DrainWait)
			defer cancel()
			_ = server.Shutdown(ctx)
		})
		defer stop()
		if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
			return err
		}
		return nil
	})
}

package main

import (
	"context"
	"errors"
	"net"
	"net/http"
	"time"

	"github.com/ovi-project/ovi/internal/awsfake"
)

// sandboxServe serves the practice cloud on loopback until it is interrupted.
func (c *call) sandboxServe() error {
	if err := c.atMost(1); err != nil {
		return err
	}
	host, port, err := net.SplitHostPort(c.cli.String("listen"))
	if err != nil {
		return usage("write an address such as 127.0.0.1:4599", "--listen: %s", err)
	}
	address, ok := c.loopback(host, port)
	if !ok {
		return usage("write a loopback address such as 127.0.0.1:4599", "--listen: %s is not loopback, and the practice cloud lets everybody in", host)
	}
	return c.withCloud(c.cli.Args().Slice(), func(cloud *awsfake.Cloud) error {
		listener, err := net.Listen("tcp", address)
		if err != nil {
			return &problem{code: exitError, summary: "cannot listen", err: err, next: "choose another port with --listen"}
		}
		c.out.say("The practice cloud listens on http://%s; end it with Ctrl-C.", listener.Addr())
		server := &http.Server{Handler: cloud, ReadHeaderTimeout: 10 * time.Second}
		stop := context.AfterFunc(c, func() {
			ctx, cancel := context.WithTimeout(context.Background(), drainWait)
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

const drainWait = 5 * time.Second

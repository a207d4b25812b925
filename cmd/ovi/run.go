package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/ovi-project/ovi/engine"
	"github.com/ovi-project/ovi/ledger"
	"github.com/ovi-project/ovi/metrics"
	"github.com/ovi-project/ovi/resource"
)

func (p *process) runCommand() *cli.Command {
	return &cli.Command{
		Name: "run", Category: catLine, ArgsUsage: "[SOURCE...]",
		Usage: "keep the world as wished, or only keep looking, until stopped",
		Flags: []cli.Flag{
			&cli.DurationFlag{Name: "interval", Usage: "a cycle every `DURATION`, give or take a tenth", Value: time.Minute},
			&cli.BoolFlag{Name: "auto-approve", Usage: "do what is planned, as far as the files' rules allow; without it, plan and tell"},
			&cli.BoolFlag{Name: "allow-destroy", Usage: "with --auto-approve: delete and replace too; without it, that waits for a human"},
			&cli.IntFlag{Name: "parallelism", Usage: "at most `N` actions at once in a stack (the file's options, else 10)"},
			&cli.DurationFlag{Name: "patience", Usage: "a cycle waits `DURATION` for a slow scope, and goes on without it", Value: 30 * time.Second},
			&cli.DurationFlag{Name: "claim-ttl", Usage: "how long a claim outlives an instance that died: `DURATION` (the files' options, else 30s)"},
			targetFlag(), excludeFlag(), policyFlag(),
			&cli.DurationFlag{Name: "keep-history", Usage: "let the store forget versions older than `DURATION`, such as 2160h; the logs keep everything (default: keep all)"},
			&cli.StringFlag{Name: "listen", Usage: "serve /metrics, /healthz, /readyz and POST /wake on `ADDRESS`, such as 127.0.0.1:9464"},
			&cli.StringFlag{Name: "tls-cert", Usage: "certificate `FILE`; needed where the address is not loopback"},
			&cli.StringFlag{Name: "tls-key", Usage: "key `FILE` of the certificate"},
			&cli.StringFlag{Name: "token-file", Usage: "who asks must send the bearer token in `FILE`; needed where the address is not loopback"},
			&cli.StringFlag{Name: "webhook", Usage: "tell `URL` of what only a human can settle"},
			&cli.StringFlag{Name: "webhook-key-file", Usage: "sign what is sent with the key in `FILE` (HMAC-SHA256)"},
		},
		Description: "Each source is a stack. Without --auto-approve it looks, plans and tells, and touches nothing.\n" +
			"A cycle begins at the interval, when a source changes, at SIGHUP and at POST /wake. Instances of\n" +
			"one stack on one store share the work; one of them looks. SIGTERM lets what is in flight finish.",
		Action: p.action((*call).run),
	}
}

// runner is `ovi run` while it runs.
type runner struct {
	*call
	dir      string
	stacks   []engine.Stack
	intents  []resource.Intent // as first read: for what is set once
	options  engine.RunOptions
	wakes    engine.Wakes
	loops    metrics.Loops
	counters *metrics.Counters
	line     atomic.Pointer[session] // nil while the record is not open
	alerts   *alertBook
	store    storeFigures
	forgot   forgetting
	rules    heldRules
	named    bool // --target and --exclude named something
}

func (c *call) run() error {
	if c.cli.Bool("allow-destroy") && !c.cli.Bool("auto-approve") {
		return usage("add --auto-approve", "--allow-destroy does nothing without --auto-approve")
	}
	if c.cli.Duration("interval") < time.Second {
		return usage("write --interval 1m", "--interval must be a second or more")
	}
	c.out.share()
	c.answer.spare(func(err error) { c.log.Warn("standard output cannot be written, and the loop goes on", "error", err) })
	k := &runner{call: c, counters: metrics.New()}
	if err := k.readSources(); err != nil {
		return err
	}
	var err error
	if k.rules.now, err = k.policies(k.intents); err != nil {
		return err
	}
	if err := k.checkPatterns(); err != nil {
		return err
	}
	tell, err := c.openNotices()
	if err != nil {
		return err
	}
	defer tell.Close()
	k.alerts = &alertBook{tell: tell.send}
	if tell.url != "" {
		k.alerts.memory, tell.heard = storeMemory{c, k.sharedStore}, k.alerts.delivered
	}
	k.options = k.runOptions()
	closeListener, err := k.listen()
	if err != nil {
		return err
	}
	defer closeListener()
	defer k.hangups()()
	return k.keep()
}

// readSources makes a stack of each source and reads all once: what is wrong at the start is
// a mistake of whoever starts it.
func (k *runner) readSources() error {
	paths, err := k.sources(k.cli.Args().Slice()...)
	if err != nil {
		return err
	}
	k.dir = k.dataDir(paths)
	named := map[string]string{}
	for _, path := range paths {
		intents, err := k.load([]string{path}, k.dir)
		if err != nil {
			return err
		}
		name := intents[0].Stack
		if other, twice := named[name]; twice {
			return usage("give each its own `stack:`, or read them as one with a folder", "%s and %s are both stack %s", other, path, name)
		}
		named[name] = path
		k.intents = append(k.intents, intents...)
		k.stacks = append(k.stacks, engine.Stack{
			Name: name, Mark: func() string { return markOf(append(k.policyPaths(), path)...) },
			Load: func(context.Context) ([]resource.Intent, error) { return k.load([]string{path}, k.dir) },
		})
	}
	return nil
}

func (k *runner) runOptions() engine.RunOptions {
	o := engine.RunOptions{
		Interval: k.cli.Duration("interval"), Patience: k.cli.Duration("patience"),
		Apply: k.cli.Bool("auto-approve"), Wakes: &k.wakes, Tell: k.alertStore, Rules: k.rulesNow,
		Do: engine.ApplyOptions{Parallelism: k.cli.Int("parallelism"), Hard: k.hard},
	}
	o.Plan.Targets, o.Plan.Excludes = k.cli.StringSlice("target"), k.cli.StringSlice("exclude")
	o.Plan.SkipDestructive = o.Apply && !k.cli.Bool("allow-destroy")
	return o
}

// The pauses before a record that broke is opened again.
const (
	reopenFirst = time.Second
	reopenMost  = 30 * time.Second
)

// keep runs the loops, and opens the record anew when it broke: a store that went away comes
// back, and what was left open is settled by looking. Only the first opening must succeed.
func (k *runner) keep() error {
	pause := reopenFirst
	for first := true; k.Err() == nil; first = false {
		started := k.now()
		err := k.loop()
		if k.Err() != nil {
			break
		}
		if first && !errors.Is(err, errBack) && !errors.Is(err, ledger.ErrBroken) {
			return err
		}
		if k.now().Sub(started) > reopenMost {
			pause = reopenFirst
		}
		if !errors.Is(err, errBack) {
			k.out.warn("nothing more is begun: "+err.Error(), fmt.Sprintf("nothing: the record is opened again in %s", pause))
		}
		select {
		case <-k.Done():
		case <-time.After(pause):
		}
		pause = min(2*pause, reopenMost)
	}
	k.out.say("Stopped: what was in flight has ended or is an open question, nothing more was begun.")
	return nil
}

// loop opens the record and runs the loops until they end.
func (k *runner) loop() error {
	l, err := k.openLiveState(k.dir, k.intents)
	if err != nil {
		return err
	}
	if err := errors.Join(k.rightCloud(l.ledger), k.namesSomething(l)); err != nil {
		return errors.Join(err, l.Close())
	}
	stop := l.ledger.Listen(k.heard)
	k.line.Store(l)
	k.out.say("Instance %s keeps %s; record in %s.", l.ledger.Instance(), k.names(), k.dir)
	if err = l.claims.Ready(k); err == nil {
		err = l.engine.Run(k, k.stacks, k.options)
	}
	k.line.Store(nil)
	stop()
	if bad := l.Close(); bad != nil && k.Err() != nil {
		k.out.warn(bad.Error(), "see that the record is whole: ovi audit verify")
	}
	if err != nil {
		return err
	}
	return errBack
}

// names are the stacks, for people.
func (k *runner) names() string {
	names := make([]string, len(k.stacks))
	for i, s := range k.stacks {
		names[i] = s.Name
	}
	return "stack " + strings.Join(names, ", stack ")
}

var errBack = errors.New("the loops ended")

// hangups wakes the loops at SIGHUP, until the returned function is called.
func (k *runner) hangups() func() {
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGHUP)
	go func() {
		for range signals {
			k.wakes.Wake("SIGHUP")
		}
	}()
	return func() {
		signal.Stop(signals)
		close(signals)
	}
}

package reconcile

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

	"github.com/ovi-project/ovi/engine/loop"

	urfave "github.com/urfave/cli/v2"

	"github.com/ovi-project/ovi/cmd/cli"
	"github.com/ovi-project/ovi/cmd/command"
	"github.com/ovi-project/ovi/cmd/serve"
	"github.com/ovi-project/ovi/cmd/session"
	"github.com/ovi-project/ovi/engine"
	"github.com/ovi-project/ovi/ledger"
	"github.com/ovi-project/ovi/ledger/report"
	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/render/metrics"
	"github.com/ovi-project/ovi/render/term"
	"github.com/ovi-project/ovi/resource"
)

// RunCommand returns the command `ovi run`.
func RunCommand(p *command.Process) *urfave.Command {
	return &urfave.Command{
		Name: "run", Category: command.GroupReconcile, ArgsUsage: "[SOURCE...]",
		Usage: "Reconcile continuously",
		Flags: append([]urfave.Flag{
			&urfave.DurationFlag{
				Name: "interval", Usage: "start a cycle every `DURATION`, varied by a tenth",
				Value: time.Minute,
			},
			&urfave.BoolFlag{
				Name:  "auto-approve",
				Usage: "apply what is planned, within the rules; without it, only plan and report",
			},
			&urfave.BoolFlag{Name: "allow-destroy", Usage: "with --auto-approve, also delete and replace"},
			&urfave.BoolFlag{Name: "prune-data", Usage: "also delete resources that are kept for their data after " +
				"they leave the configuration: volumes, and branches with unique commits"},
			&urfave.IntFlag{Name: "parallelism", Usage: "run at most `N` actions at once per stack (default: the file's " +
				"options, or 10)"},
			&urfave.DurationFlag{
				Name: "patience", Usage: "wait `DURATION` for a slow kind of a location, then continue without it",
				Value: 30 * time.Second,
			},
			session.ClaimFlag("the files'"),
			&urfave.DurationFlag{
				Name: "timeout",
				Usage: "cancel an observation or an action that takes longer than `DURATION`; the next cycle observes its " +
					"result (default: no limit)",
			},
			&urfave.DurationFlag{
				Name: "grace", Usage: "when stopped, cancel actions that still run after `DURATION`; the next start " +
					"observes their results",
				Value: time.Minute,
			},
			&urfave.IntFlag{
				Name:  "inventory-every",
				Usage: "also read unmanaged resources of every kind in the first of every `N` cycles", Value: 10,
			},
			command.TargetFlag(), command.ExcludeFlag(), session.PolicyFlag(), AllowReplaceFlag(),
			&urfave.DurationFlag{
				Name: "keep-history",
				Usage: "remove versions older than `DURATION`, such as 2160h, from the store; the audit log keeps all (default: " +
					"keep all)",
			},
			&urfave.StringFlag{Name: "listen", Usage: "serve /metrics, /healthz, /readyz and POST /wake on `ADDRESS`, such as " +
				"127.0.0.1:9464"},
			&urfave.StringFlag{Name: "tls-cert", Usage: "TLS certificate `FILE`; required unless the address is loopback"},
			&urfave.StringFlag{Name: "tls-key", Usage: "TLS key `FILE`; required unless the address is loopback"},
			&urfave.StringFlag{
				Name:  "token-file",
				Usage: "require the bearer token in `FILE`; required unless the address is loopback",
			},
			&urfave.StringFlag{Name: "webhook", Usage: "send alerts to `URL`"},
			&urfave.StringFlag{Name: "webhook-file", Usage: "send alerts to the URL in `FILE`, for one that contains a secret"},
			&urfave.StringFlag{Name: "webhook-key-file", Usage: "sign alerts with the key in `FILE` (HMAC-SHA256)"},
		}, append(session.LoopFlags(), session.GitFlags()...)...),
		Description: "Each source is a stack, and so is each environment of it that --env names. Without --auto-approve,\n" +
			"changes are planned and reported, not applied.\n" +
			"A cycle starts at each interval, when a source changes, at SIGHUP and at POST /wake. Instances of\n" +
			"one stack that share a store share the work: one observes, all apply. A running action does not\n" +
			"delay the next cycle. SIGTERM starts nothing more and waits for running actions, see --grace.",
		Action: p.Staying(RunLoop),
	}
}

// runOptions are the options of `ovi run`.
type runOptions struct {
	interval, patience, timeout, grace   time.Duration
	inventoryEvery, parallelism          int
	autoApprove, allowDestroy, pruneData bool
	targets                              command.Targets
	allowReplace                         []string
	keepHistory                          time.Duration
	listen, tlsCert, tlsKey, tokenFile   string
	webhook, webhookFile, webhookKeyFile string
}

func runOptionsOf(c *command.Call) runOptions {
	return runOptions{
		interval: c.Cmd.Duration("interval"), patience: c.Cmd.Duration("patience"), timeout: c.Cmd.Duration("timeout"),
		grace: c.Cmd.Duration("grace"), inventoryEvery: c.Cmd.Int("inventory-every"),
		parallelism: c.Cmd.Int("parallelism"), autoApprove: c.Cmd.Bool("auto-approve"),
		allowDestroy: c.Cmd.Bool("allow-destroy"), pruneData: c.Cmd.Bool("prune-data"),
		targets: command.TargetsOf(c), allowReplace: AllowReplaceOf(c), keepHistory: c.Cmd.Duration("keep-history"),
		listen: c.Cmd.String("listen"), tlsCert: c.Cmd.String("tls-cert"), tlsKey: c.Cmd.String("tls-key"),
		tokenFile: c.Cmd.String("token-file"), webhook: c.Cmd.String("webhook"),
		webhookFile: c.Cmd.String("webhook-file"), webhookKeyFile: c.Cmd.String("webhook-key-file"),
	}
}

// runner is a running `ovi run`.
type runner struct {
	*command.Call
	given    runOptions
	dir      string
	paths    []string // by stack
	stacks   []loop.Stack
	intents  []resource.Intent // as first read, for options that are set once
	options  loop.RunOptions
	wakes    loop.Wakes
	watch    loop.Watch
	loops    metrics.Loops
	counters *metrics.Counters
	line     atomic.Pointer[session.Session] // nil while the data directory is not open
	closed   atomic.Pointer[string]          // why it is not open; nil without an error
	alerts   *serve.Alerts
	forgot   forgetting
	flying   flying
	left     leftOpen
	rules    heldRules
	reports  map[string]*report.Writer // by stack: of the sources that show what became of them
	alarms   heldAlarms
	orders   heldOrders
	named    bool // --target and --exclude matched something
}

// RunLoop reconciles continuously until the command is stopped.
func RunLoop(c *command.Call) error {
	given := runOptionsOf(c)
	if given.allowDestroy && !given.autoApprove {
		return cli.Usage("add --auto-approve", "--allow-destroy needs --auto-approve")
	}
	if given.interval < time.Second {
		return cli.Usage("use --interval 1m", "--interval must be at least 1s")
	}
	if given.inventoryEvery < 1 {
		return cli.Usage("use --inventory-every 1 to read it in every cycle", "--inventory-every must be at least 1")
	}
	c.Out.Share()
	c.Answer.Spare(func(err error) { c.Log.Warn("cannot write standard output; the loop continues", "error", err) })
	k := &runner{Call: c, given: given, counters: metrics.New()}
	c.Reported = k.wakes.Changed
	c.Alarmed = k.alarm
	c.Ordered = func(site string, o provider.Orders) { k.orders.set(site, o); k.wakes.Wake("an order") }
	if err := k.readSources(); err != nil {
		return err
	}
	var err error
	if k.rules.now, err = session.Policies(k.Call, k.intents); err != nil {
		return err
	}
	if err := given.targets.Check(); err != nil {
		return err
	}
	notices, err := serve.OpenNotices(c, c.Out, c.Now,
		serve.Webhook{URL: given.webhook, URLFile: given.webhookFile, KeyFile: given.webhookKeyFile})
	if err != nil {
		return err
	}
	defer notices.Close()
	k.alerts = serve.NewAlerts(notices, serve.StoreMemory{Context: c, Store: k.sharedStore})
	k.options = k.loopOptions()
	closeListener, err := k.listen()
	if err != nil {
		return err
	}
	defer closeListener()
	defer k.hangups()()
	return k.keep()
}

// readSources makes a stack of each source, and of each environment of it, and reads all once: an error at the start
// ends the command, unless the source is recorded.
func (k *runner) readSources() error {
	paths, err := session.LoopSources(k.Call)
	if err != nil {
		return err
	}
	environments, err := session.Environments(k.Call)
	if err != nil {
		return err
	}
	k.dir = session.DataDir(k.Call, paths)
	named := map[string]string{}
	for _, path := range paths {
		for _, c := range environments {
			if err := k.readSource(c, path, named); err != nil {
				return err
			}
		}
	}
	return nil
}

// readSource makes the stacks of a source in one environment; named has the sources of the stacks so far.
func (k *runner) readSource(c *command.Call, path string, named map[string]string) error {
	intents, err := session.AcceptSoon(c, []string{path}, k.dir)
	if err != nil {
		return err
	}
	WarnOfExposed(c)
	k.intents = append(k.intents, intents...)
	for _, in := range intents {
		if other, twice := named[in.Stack]; twice {
			return cli.Usage("give each its own `stack:`, or put them into one folder", "%s and %s are both stack %s", other,
				path, in.Stack)
		}
		named[in.Stack] = path
		k.paths = append(k.paths, path)
		k.stacks = append(k.stacks, loop.Stack{
			Name: in.Stack, Known: []resource.Intent{in}, Mark: func() string { return runnerMark(k, path) },
			Load: func(context.Context) ([]resource.Intent, error) {
				return session.AcceptStack(c, []string{path}, k.dir, in.Stack)
			},
		})
	}
	return nil
}

func (k *runner) loopOptions() loop.RunOptions {
	o := loop.RunOptions{
		Interval: k.given.interval, Patience: k.given.patience, Timeout: k.given.timeout, StopGrace: k.given.grace,
		InventoryEvery: k.given.inventoryEvery, Apply: k.given.autoApprove, Wakes: &k.wakes, Tell: k.cycled,
		Watch:  &k.watch,
		Alarms: func() []provider.Alarm { return k.alarms.since(k.Now().Add(-alarmsFor)) }, Orders: k.orders.of,
		Rules: k.rulesNow,
		Do:    engine.ApplyOptions{Parallelism: k.given.parallelism, Hard: k.Hard},
	}
	o.Plan.Targets, o.Plan.Excludes = k.given.targets.Only, k.given.targets.Excluded
	o.Plan.AllowReplace = k.given.allowReplace
	o.Plan.Prune = k.given.pruneData
	o.Plan.SkipDestructive = o.Apply && !k.given.allowDestroy
	return o
}

// The pauses before a data directory that failed is opened again.
const (
	reopenFirst = time.Second
	reopenMost  = 30 * time.Second
)

// keep runs the loops, and opens the data directory again when it fails: a store may become
// reachable again, and open actions are recovered. Only the first opening must succeed.
func (k *runner) keep() error {
	pause := reopenFirst
	for first := true; k.Err() == nil; first = false {
		started := k.Now()
		err := k.loop()
		if k.Err() != nil {
			break
		}
		if first && !errors.Is(err, errBack) && !errors.Is(err, ledger.ErrBroken) {
			return err
		}
		if k.Now().Sub(started) > reopenMost {
			pause = reopenFirst
		}
		if !errors.Is(err, errBack) {
			why := term.OneLine(err.Error())
			k.closed.Store(&why)
			k.Out.Warn("no action is started: "+err.Error(), fmt.Sprintf("none needed: retried in %s", pause))
		}
		select {
		case <-k.Done():
		case <-time.After(pause):
		}
		pause = min(2*pause, reopenMost)
	}
	return k.stopped()
}

// loop opens the data directory and runs the loops until they end.
func (k *runner) loop() error {
	l, err := session.OpenApart(k.Call, k.dir, k.paths, k.intents)
	if err != nil {
		return err
	}
	if err := errors.Join(command.RightCloud(k.Call, l.Ledger), k.namesSomething(l)); err != nil {
		return errors.Join(err, l.Close())
	}
	if err := l.Remember(); err != nil {
		return errors.Join(err, l.Close())
	}
	defer k.startReports()()
	stop := l.Ledger.Listen(k.heard)
	k.line.Store(l)
	k.closed.Store(nil)
	k.Out.Say("Instance %s reconciles %s  data directory %s", l.Ledger.Instance(), k.names(), k.dir)
	for i := range k.stacks {
		k.stacks[i].Engine = l.EngineOf(k.stacks[i].Name)
	}
	if err = l.Claims.Ready(k); err == nil {
		err = loop.Run(k, l.Engine, k.stacks, k.options)
	}
	k.line.Store(nil)
	stop()
	if bad := l.Close(); bad != nil && k.Err() != nil {
		k.Out.Warn(bad.Error(), "run `ovi audit verify`")
	}
	if err != nil {
		return err
	}
	return errBack
}

// names are the stacks, for users.
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

// runnerMark is another string when a source, or a file with policies, may have changed. What a reporter
// writes into a source is no change of it.
func runnerMark(k *runner, path string) string {
	switch {
	case session.IsKind(path, session.Repository): // its commit is asked for in each cycle
		return command.MarkOf(session.PoliciesOf(k.Call)...)
	case !session.IsKind(path, session.Table):
		return command.MarkOf(append(session.PoliciesOf(k.Call), path)...)
	}
	version, err := session.ClusterTable(k.Call, path, k.Checks()).Version(k)
	if err != nil {
		version = err.Error()
	}
	return version + command.MarkOf(append(session.PoliciesOf(k.Call), path+".yaml")...)
}

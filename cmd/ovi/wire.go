package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/ovi-project/ovi/coordinator"
	"github.com/ovi-project/ovi/engine"
	"github.com/ovi-project/ovi/ledger"
	"github.com/ovi-project/ovi/ledger/event"
	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/render"
	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/resource/rules"
	"github.com/ovi-project/ovi/source"
)

// load reads the configuration.
func load(c *call, paths []string, dir string) ([]resource.Intent, error) {
	return loadStack(c, paths, dir, "")
}

// loadStack reads the configuration of one stack of the sources; of all for "".
func loadStack(c *call, paths []string, dir, stack string) ([]resource.Intent, error) {
	intents, problems, err := loadBy(c, paths, dir, stack, source.Resolve)
	if err == nil && len(problems) > 0 {
		err = problems
	}
	if err != nil {
		return nil, err
	}
	for _, in := range intents {
		c.versions.Store(in.Stack, in.Version)
	}
	return intents, nil
}

// versionOf is what was read last of a stack; "": nothing yet.
func (c *call) versionOf(stack string) string {
	v, _ := c.versions.Load(stack)
	text, _ := v.(string)
	return text
}

// resolver resolves drafts: all of them or none, or what is valid of them.
type resolver func([]*source.Draft) ([]resource.Intent, source.Problems)

// loadBy reads the configuration, and makes the key for the digests of its secrets if there is none.
func loadBy(c *call, paths []string, dir, stack string, resolve resolver) (intents []resource.Intent, problems source.Problems, err error) {
	if err := errors.Join(isSafe(c, dir), onlyCharts(c, paths), onlyOneTable(c, paths), onlyOneRepository(paths)); err != nil {
		return nil, nil, err
	}
	file := c.secretsKey(dir)
	once := func() error {
		digests := &digester{file: file}
		checks := c.checks()
		checks.Secrets = c.secrets.noting(digests)
		drafts, err := drafts(c, paths, dir, stack, checks)
		if err != nil {
			return err
		}
		if intents, problems = resolve(drafts); len(intents) == 0 {
			return nil
		}
		return digests.err
	}
	if err = once(); errors.Is(err, errNoKey) {
		if err = makeKey(file); err != nil {
			return nil, nil, fmt.Errorf("create the key for digests of secrets: %w", err)
		}
		err = once()
	}
	return intents, problems, err
}

// drafts reads one stack of the sources, or all, completely.
func drafts(c *call, paths []string, dir, stack string, checks source.Options) ([]*source.Draft, error) {
	s, err := openSource(c, paths, dir, checks)
	if err != nil {
		return nil, err
	}
	drafts, err := s.Load(c)
	if err == nil {
		drafts, err = ofStack(drafts, stack)
	}
	if err == nil {
		err = readable(drafts)
	}
	return drafts, err
}

// digests makes and compares the digests of secrets.
func (c *call) digests(dir string) resource.Digester {
	return c.secrets.noting(&digester{file: c.secretsKey(dir)})
}

// secretsKey is the key of the digests of secrets: OVI_SECRETS_KEY_FILE, for instances that
// share a store and must digest alike, else in the data directory.
func (c *call) secretsKey(dir string) string {
	if file := c.Getenv("OVI_SECRETS_KEY_FILE"); file != "" {
		return file
	}
	return filepath.Join(dir, "secrets.key")
}

type closer func() error

// session is everything that a command works with which observes live state.
type session struct {
	dir     string
	intents []resource.Intent
	rules   rules.Rules // for every stack
	kinds   provider.Set
	ledger  *ledger.Ledger
	engine  *engine.Engine
	claims  *coordinator.Claims
	closers []closer
	// remember keeps the settings of the data directory.
	remember func() error
}

// openLine reads the sources and opens the data directory, in this order: invalid input writes
// nothing.
func openLine(c *call, paths []string) (*session, error) {
	dir := c.dataDir(paths)
	intents, err := load(c, paths, dir)
	if err != nil {
		return nil, err
	}
	return openWith(c, dir, paths, intents)
}

// openWith opens the data directory for what was read.
func openWith(c *call, dir string, paths []string, intents []resource.Intent) (*session, error) {
	rules, err := policies(c, intents)
	if err != nil {
		return nil, err
	}
	l, err := openLiveState(c, dir, paths, intents)
	if err != nil {
		return nil, err
	}
	if err := rightCloud(c, l.ledger); err != nil {
		return nil, errors.Join(err, l.Close())
	}
	if err := l.remember(); err != nil {
		return nil, errors.Join(err, l.Close())
	}
	l.rules = rules
	return l, nil
}

// withLine opens the line from what the command line names, for as long as do runs.
func withLine(c *call, paths []string, do func(*session) error) error {
	l, err := openLine(c, paths)
	if err != nil {
		return err
	}
	return closing(c, l, do(l))
}

// closing closes the session of a command. What could not be closed is reported, and does not change
// how the command ended: its result is recorded.
func closing(c *call, l *session, err error) error {
	if bad := l.Close(); bad != nil {
		c.out.Warn(bad.Error(), "run `ovi audit verify`")
	}
	return err
}

// openLiveState opens the data directory and the providers.
func openLiveState(c *call, dir string, paths []string, intents []resource.Intent) (*session, error) {
	s, err := useSettings(c, dir)
	if err != nil {
		return nil, err
	}
	l := &session{dir: dir, intents: intents, remember: func() error { return s.write(dir) }}
	if l.ledger, err = openLedger(c, dir); err != nil {
		return nil, err
	}
	l.closers = append(l.closers, l.ledger.Close)
	if err := s.useFolders(c, l.ledger, dir, paths, intents); err != nil {
		return nil, errors.Join(err, l.Close())
	}
	kinds, clouds, err := providers(c, dir, intents)
	if err != nil {
		return nil, errors.Join(err, l.Close())
	}
	l.kinds, l.closers = kinds, append(l.closers, clouds...)
	l.claims = claimsOf(c, l)
	l.closers = append(l.closers, func() error { return giveBack(c, l) })
	l.engine = engine.New(engine.Config{
		Providers: kinds, Ledger: l.ledger, Owner: c.Getenv("OVI_OWNER"), Clock: c.Now, Claims: l.claims, Secrets: c.digests(dir),
	})
	return l, nil
}

// claimsOf makes the claims of this run.
func claimsOf(c *call, l *session) *coordinator.Claims {
	ttl := c.cmd.Duration("claim-ttl")
	for _, in := range l.intents {
		if ttl == 0 {
			ttl = in.Options.ClaimTTL
		}
	}
	options := []coordinator.Option{coordinator.WithLockTimeout(c.cmd.Duration("lock-timeout")), coordinator.WithStoreHealth(func(err error) { heardOfStore(c, err) })}
	if ttl > 0 {
		options = append(options, coordinator.WithTTL(ttl))
	}
	return coordinator.New(l.ledger.Claims(), coordinator.Identity{
		Instance: l.ledger.Instance(), Host: c.Host(), User: c.User(), Run: l.ledger.Run(), PID: os.Getpid(),
	}, options...)
}

// giveBack releases the claims, also when the command was interrupted. A claim that cannot be
// released is recorded, so that no process on this host waits for it.
func giveBack(c *call, l *session) error {
	ctx, cancel := context.WithTimeout(context.Background(), giveBackWait)
	defer cancel()
	err := l.claims.Close(ctx)
	if err != nil {
		acting := errors.Is(err, coordinator.ErrWorking)
		l.ledger.LeaveClaims(acting)
		if acting {
			c.acting = append(c.acting, l.ledger)
		}
	}
	return err
}

const (
	giveBackWait = 10 * time.Second
	shortWait    = 10 * time.Second // --lock-timeout
)

// listened writes every record to the log on standard error too, and reports what opening repaired.
func (c *call) listened(l *ledger.Ledger, err error) (*ledger.Ledger, error) {
	if err == nil {
		if tear := l.Log().TornWrite(); tear != nil {
			c.out.Warn(tear.String(), "none needed: the record was never acknowledged")
		}
		if err := l.Broken(); err != nil {
			c.out.Warn("the disk is full; the newest records are not shown: "+err.Error(), "free some space; no action starts before")
		}
		log := c.log.Named("ledger")
		l.Listen(func(r event.Record) {
			log.Debug(render.Line(r.Event), "seq", r.Seq, "event", r.Event.Type())
			if e, pinned := r.Event.(event.KeyPinned); pinned && c.cmd.Command.Name != "run" { // a loop reports it as an alert
				c.out.Warn(fmt.Sprintf("the key of instance %s was trusted at its first use", e.Instance),
					fmt.Sprintf("run `ovi store trust %s` if it is one of yours, else the same with --revoke", e.Key))
			}
		})
	}
	return l, err
}

// Close closes what openLine opened, the last first.
func (l *session) Close() error {
	var errs []error
	for i := len(l.closers) - 1; i >= 0; i-- {
		errs = append(errs, l.closers[i]())
	}
	return errors.Join(errs...)
}

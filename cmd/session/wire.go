package session

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/ovi-project/ovi/cmd/command"
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

// Load reads the configuration.
func Load(c *command.Call, paths []string, dir string) ([]resource.Intent, error) {
	return LoadStack(c, paths, dir, "")
}

// LoadStack reads the configuration of one stack of the sources; of all for "".
func LoadStack(c *command.Call, paths []string, dir, stack string) ([]resource.Intent, error) {
	intents, problems, err := LoadBy(c, paths, dir, stack, source.Resolve)
	if err == nil && len(problems) > 0 {
		err = problems
	}
	if err != nil {
		return nil, err
	}
	for _, in := range intents {
		c.Versions.Store(in.Stack, in.Version)
	}
	return intents, nil
}

// resolver resolves drafts: all of them or none, or what is valid of them.
type resolver func([]*source.Draft) ([]resource.Intent, source.Problems)

// LoadBy reads the configuration, and makes the key for the digests of its secrets if there is none.
func LoadBy(c *command.Call, paths []string, dir, stack string, resolve resolver) (intents []resource.Intent,
	problems source.Problems, err error,
) {
	return loadBy(c, paths, dir, stack, Drafts, resolve)
}

// loadBy is LoadBy with the function that reads the drafts.
func loadBy(c *command.Call, paths []string, dir, stack string, read reader, resolve resolver) (
	intents []resource.Intent, problems source.Problems, err error,
) {
	if err := errors.Join(command.IsSafe(c, dir), combinable(c, paths)); err != nil {
		return nil, nil, err
	}
	file := c.SecretsKey(dir)
	once := func() error {
		digests := &command.Digester{File: file}
		checks := c.ChecksForSecrets()
		checks.Secrets = c.Secrets.Noting(digests)
		drafts, err := read(c, paths, dir, stack, checks)
		if err != nil {
			return err
		}
		if intents, problems = resolve(drafts); unreadOnly(intents) {
			return nil // an invalid configuration makes no key
		}
		return digests.Err
	}
	if err = once(); errors.Is(err, command.ErrNoKey) {
		if err = command.MakeKey(file); err != nil {
			return nil, nil, fmt.Errorf("create the key for digests of secrets: %w", err)
		}
		err = once()
	}
	for i := range intents { // alerts and the audit log quote them
		in := &intents[i]
		in.Unread = c.Held.Text(in.Unread)
		for k := range in.Parts {
			in.Parts[k].Why = c.Held.Text(in.Parts[k].Why)
		}
	}
	return intents, problems, err
}

// reader reads one stack of the sources, or all.
type reader func(
	c *command.Call, paths []string, dir, stack string, checks source.Options,
) ([]*source.Draft, error)

// Drafts reads one stack of the sources, or all, completely.
func Drafts(c *command.Call, paths []string, dir, stack string, checks source.Options) ([]*source.Draft, error) {
	drafts, err := allDrafts(c, paths, dir, stack, checks)
	if err == nil {
		for _, d := range drafts { // no part of a source is planned
			if d.Err != nil {
				return drafts, fmt.Errorf("stack %s of %s: %w", d.Stack, d.Source, d.Err)
			}
		}
	}
	return drafts, err
}

// allDrafts reads one stack of the sources, or all. It includes stacks that cannot be read.
func allDrafts(c *command.Call, paths []string, dir, stack string, checks source.Options) ([]*source.Draft, error) {
	s, err := openSource(c, paths, dir, checks)
	if err != nil {
		return nil, err
	}
	drafts, err := s.Load(c)
	if err == nil {
		drafts, err = ofStack(drafts, stack)
	}
	return drafts, err
}

// Session is everything that a command works with which observes live state.
type Session struct {
	Dir     string
	Intents []resource.Intent
	Rules   rules.Rules // for every stack
	Kinds   provider.Set
	Ledger  *ledger.Ledger
	Engine  *engine.Engine
	Claims  *coordinator.Claims
	engines map[string]*engine.Engine // by stack; nil unless OpenApart opened the session
	closers []command.Closer
	// Remember keeps the settings of the data directory.
	Remember func() error
}

// OpenWith opens the data directory for what was read.
func OpenWith(c *command.Call, dir string, paths []string, intents []resource.Intent) (*Session, error) {
	rules, err := Policies(c, intents)
	if err != nil {
		return nil, err
	}
	l, err := OpenLiveState(c, dir, paths, intents)
	if err != nil {
		return nil, err
	}
	if err := command.RightCloud(c, l.Ledger); err != nil {
		return nil, errors.Join(err, l.Close())
	}
	if err := l.Remember(); err != nil {
		return nil, errors.Join(err, l.Close())
	}
	l.Rules = rules
	return l, nil
}

// WithLine opens the line from what the command line names, for as long as do runs. It reads the sources and opens the
// data directory, in this order: invalid input writes nothing.
func WithLine(c *command.Call, paths []string, do func(*Session) error) error {
	dir := DataDir(c, paths)
	intents, err := Load(c, paths, dir)
	if err != nil {
		return err
	}
	l, err := OpenWith(c, dir, paths, intents)
	if err != nil {
		return err
	}
	return Closing(c, l, do(l))
}

// Closing closes the session of a command. What could not be closed is reported, and does not change
// how the command ended: its result is recorded.
func Closing(c *command.Call, l *Session, err error) error {
	if bad := l.Close(); bad != nil {
		c.Out.Warn(bad.Error(), "run `ovi audit verify`")
	}
	return err
}

// OpenLiveState opens the data directory, and the providers for a plan of all stacks.
func OpenLiveState(c *command.Call, dir string, paths []string, intents []resource.Intent) (*Session, error) {
	return openLiveState(c, dir, paths, intents, false)
}

// openLiveState opens the data directory and the providers; with apart, for stacks that are planned one by one.
func openLiveState(c *command.Call, dir string, paths []string, intents []resource.Intent, apart bool) (
	*Session, error,
) {
	if err := command.Agree(c, intents, apart); err != nil {
		return nil, err
	}
	s, err := command.UseSettings(c, dir)
	if err != nil {
		return nil, err
	}
	l := &Session{Dir: dir, Intents: intents, Remember: func() error { return s.Write(dir) }}
	if l.Ledger, err = OpenLedger(c, dir); err != nil {
		return nil, err
	}
	l.closers = append(l.closers, l.Ledger.Close)
	if err := s.UseFolders(c, l.Ledger, dir, paths, intents); err != nil {
		return nil, errors.Join(err, l.Close())
	}
	if intents, err = engine.Restored(c, l.Ledger.Reader(), intents, c.Now()); err != nil {
		return nil, errors.Join(err, l.Close())
	}
	sets, clouds, err := openProviders(c, dir, intents, apart)
	l.closers = append(l.closers, clouds...)
	if err != nil {
		return nil, errors.Join(err, l.Close())
	}
	l.Kinds, l.Claims = sets[0], claimsOf(c, l)
	l.closers = append(l.closers, func() error { return giveBack(c, l) })
	l.Engine = l.engineWith(c, sets[0])
	if apart {
		l.engines = map[string]*engine.Engine{}
		for i := range intents {
			l.engines[intents[i].Stack] = l.engineWith(c, sets[i])
		}
	}
	return l, nil
}

// openProviders opens the providers: one set for all stacks or, with apart, a set for each.
func openProviders(c *command.Call, dir string, intents []resource.Intent, apart bool) (
	[]provider.Set, []command.Closer, error,
) {
	if err := command.Agree(c, intents, apart); err != nil { // a restored configuration has options, too
		return nil, nil, err
	}
	if apart && len(intents) > 0 {
		return command.ProvidersApart(c, dir, intents)
	}
	set, closers, err := command.Providers(c, dir, intents)
	return []provider.Set{set}, closers, err
}

func (l *Session) engineWith(c *command.Call, kinds provider.Set) *engine.Engine {
	return engine.New(engine.Config{
		Providers: kinds, Ledger: l.Ledger, Owner: c.Getenv("OVI_OWNER"), Clock: c.Now, Claims: l.Claims,
		Secrets: c.Digests(l.Dir), Reveal: c.Revealed(l.Dir), Conceal: c.Held.Error, Loud: c.Loud(l.Dir),
	})
}

// claimsOf makes the claims of this run. The longest of the configured times is safe for all stacks.
func claimsOf(c *command.Call, l *Session) *coordinator.Claims {
	ttl := claimTTLOf(c)
	if ttl == 0 {
		for i := range l.Intents {
			ttl = max(ttl, l.Intents[i].Options.ClaimTTL)
		}
	}
	options := []coordinator.Option{
		coordinator.WithLockTimeout(command.LockTimeoutOf(c)),
		coordinator.WithStoreHealth(func(err error) { command.HeardOfStore(c, err) }),
	}
	if ttl > 0 {
		options = append(options, coordinator.WithTTL(ttl))
	}
	return coordinator.New(l.Ledger.Claims(), coordinator.Identity{
		Instance: l.Ledger.Instance(), Host: c.Host(), User: c.User(), Run: l.Ledger.Run(), PID: os.Getpid(),
	}, options...)
}

// giveBack releases the claims, also when the command was interrupted. A claim that cannot be
// released is recorded, so that no process on this host waits for it.
func giveBack(c *command.Call, l *Session) error {
	ctx, cancel := context.WithTimeout(context.Background(), giveBackWait)
	defer cancel()
	err := l.Claims.Close(ctx)
	if err != nil {
		acting := errors.Is(err, coordinator.ErrWorking)
		l.Ledger.LeaveClaims(acting)
		if acting {
			c.Acting = append(c.Acting, l.Ledger)
		}
	}
	return err
}

const (
	giveBackWait = 10 * time.Second
)

// listened writes every record to the log on standard error too, and reports what opening repaired.
func listened(c *command.Call, l *ledger.Ledger, err error) (*ledger.Ledger, error) {
	if err == nil {
		if tear := l.Log().TornWrite(); tear != nil {
			c.Out.Warn(tear.String(), "none needed after a crash; if the log was copied or cut, restore a complete copy")
		}
		if err := l.Broken(); err != nil {
			c.Out.Warn("the store is full; the newest records are not shown: "+err.Error(),
				"free some space; no action starts before")
		}
		log := c.Log.Named("ledger")
		l.Listen(func(r event.Record) {
			log.Debug(render.Line(r.Event), "seq", r.Seq, "event", r.Event.Type())
			if e, pinned := r.Event.(event.KeyPinned); pinned && c.Cmd.Command.Name != "run" { // a loop reports it as an alert
				c.Out.Warn(fmt.Sprintf("the key of instance %s was pinned at its first use", e.Instance),
					fmt.Sprintf("run `ovi store trust %s` if it is one of yours, else the same with --revoke", e.Key))
			}
		})
	}
	return l, err
}

// Close closes what openLine opened, the last first.
func (l *Session) Close() error {
	var errs []error
	for i := len(l.closers) - 1; i >= 0; i-- {
		errs = append(errs, l.closers[i]())
	}
	return errors.Join(errs...)
}

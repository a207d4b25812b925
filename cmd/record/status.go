package record

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	urfave "github.com/urfave/cli/v2"

	"github.com/ovi-project/ovi/cmd/cli"
	"github.com/ovi-project/ovi/cmd/command"
	"github.com/ovi-project/ovi/cmd/session"
	"github.com/ovi-project/ovi/ledger"
	"github.com/ovi-project/ovi/ledger/event"
	"github.com/ovi-project/ovi/ledger/explain"
	"github.com/ovi-project/ovi/ledger/history"
	"github.com/ovi-project/ovi/ledger/phrase"
	"github.com/ovi-project/ovi/render"
	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/resource/offline"
	"github.com/ovi-project/ovi/storage"
)

// StatusCommand returns the command `ovi status`.
func StatusCommand(p *command.Process) *urfave.Command {
	return &urfave.Command{
		Name: "status", Category: command.GroupInspect, ArgsUsage: "[SOURCE]",
		Usage: "Show managed resources",
		Flags: []urfave.Flag{
			command.RecordFlag(), session.StackFlag(),
			session.StackNameFlag("only resources of stack `NAME`"),
		},
		Action: p.Action(status),
	}
}

// state is what status shows.
type state struct {
	stack     string // "" means all
	names     render.Names
	scans     []ledger.Scan
	loaded    []event.Loaded
	liveState resource.LiveState
	open      []ledger.OpenAction
	holders   session.Holders // of the claims of open actions
	replacing map[resource.Ref]ledger.Replacement
	plans     []history.Plan
	attempts  map[resource.Ref]ledger.ResourceTries
	fights    map[resource.Ref]ledger.Fights
	exhausted map[resource.Ref]event.Exhausted
	outages   map[resource.Ref][]ledger.Outage
	waves     []event.Wave
	blessings map[resource.Ref]bool
	recovery  *ledger.Recovery       // of the roster
	doubted   []ledger.Contradiction // what the store says and the audit log does not
	unread    []event.Unread         // of the sources, as of the last plans
}

// statusOptions are the options of `ovi status`.
type statusOptions struct{ stack string }

func statusOptionsOf(c *command.Call) statusOptions {
	return statusOptions{stack: session.StackNameOf(c)}
}

func status(c *command.Call) error {
	o := statusOptionsOf(c)
	if err := c.AtMost(1); err != nil {
		return err
	}
	return session.WithMemory(c, c.Cmd.Args().Slice(), func(l *ledger.Ledger) error { return showState(c, l, o) })
}

func showState(c *command.Call, l *ledger.Ledger, o statusOptions) error {
	s, err := stateOf(c, l)
	if err != nil {
		return err
	}
	stack, err := stackOfRef(c, l, o.stack)
	if err != nil {
		return err
	}
	s.only(stack)
	if c.Out.Machine() {
		err = c.Out.Records(stateRecords(c, s)...)
	} else {
		err = stateTables(c, l, s)
	}
	if err == nil && s.incomplete() {
		return cli.Exit(cli.ExitUnreachable)
	}
	return err
}

// incomplete reports whether the last plans could not read a source, a part of it, a location, a kind or a resource,
// so that the state may be another one. An offline location has reported that it may be away.
func (s *state) incomplete() bool {
	managed, away := map[resource.Scope]bool{}, map[resource.Scope]bool{}
	for _, x := range s.scans {
		away[x.Scope] = x.Offline
	}
	unreadable := false
	for _, x := range s.managed() {
		managed[x.Ref.Scope()] = true
		unreadable = unreadable || x.Condition == resource.Unreadable && !away[x.Ref.Scope()]
	}
	return unreadable || len(s.unread) > 0 || slices.ContainsFunc(s.scans, func(x ledger.Scan) bool {
		return !x.Offline && (s.stack == "" || managed[x.Scope]) && (!x.Complete || len(x.Unreachable) > 0)
	})
}

func stateOf(c *command.Call, l *ledger.Ledger) (state, error) {
	var s state
	var err error
	if s.liveState, _, err = l.LiveState(c, storage.Now); err != nil {
		return s, err
	}
	if s.scans, err = l.Scans(c, storage.Now); err != nil {
		return s, err
	}
	if s.loaded, err = l.Loaded(c); err != nil {
		return s, err
	}
	if s.open, err = l.OpenActions(c); err != nil {
		return s, err
	}
	if s.holders, err = session.HoldersOf(c, l); err != nil {
		return s, err
	}
	if s.replacing, err = l.Replacements(c, storage.Now); err != nil {
		return s, err
	}
	if s.plans, err = history.New(l.Reader()).Plans(c); err != nil {
		return s, err
	}
	for _, p := range s.plans {
		for _, stack := range p.Stacks {
			unread, _, err := l.Reader().Sources().Unread(c, stack)
			if err != nil {
				return s, err
			}
			s.unread = append(s.unread, unread...)
		}
	}
	if s.attempts, err = l.Attempts(c); err != nil {
		return s, err
	}
	if s.fights, err = l.Fights(c); err != nil {
		return s, err
	}
	if s.exhausted, err = l.Exhausted(c); err != nil {
		return s, err
	}
	if err := s.dropPast(c, l); err != nil {
		return s, err
	}
	names, err := l.Reader().Names(c, storage.Now)
	if err != nil {
		return s, err
	}
	s.outages = names.Outages
	if s.waves, err = l.Waves(c, storage.Now); err != nil {
		return s, err
	}
	if s.recovery, err = l.Recovery(c); err != nil {
		return s, err
	}
	if s.doubted, err = l.Contradictions(c); err != nil {
		return s, err
	}
	blessings, err := l.Blessings(c)
	s.blessings = map[resource.Ref]bool{}
	for _, b := range blessings {
		s.blessings[b.Ref] = true
	}
	s.names = session.NamesIn(s.scans)
	return s, err
}

// stackOfRef is the stack to show: the named one, the one of --env or, where several are on record, that of the source;
// or of a source of several, "" means all. It refuses one of which nothing is recorded.
func stackOfRef(c *command.Call, l *ledger.Ledger, named string) (string, error) {
	known, err := session.RecordedStacks(c, l)
	if err != nil {
		return "", err
	}
	paths := session.Named(c, c.Cmd.Args().Slice())
	stack, err := session.ChosenStack(c, c.Cmd.Args().Slice()...)
	if err != nil {
		return "", err
	}
	stack = cmp.Or(stack, named)
	if stack == "" && len(known) > 1 && len(paths) > 0 {
		stacks, err := session.SourceStacks(c, paths)
		if recorded, failed := session.RecordedFrom(c, l, paths); err != nil && failed == nil && len(recorded) > 0 {
			stacks, err = recorded, nil
		}
		if err != nil || len(stacks) != 1 {
			return "", err
		}
		stack = stacks[0]
	}
	if stack == "" || slices.Contains(known, stack) {
		return stack, nil
	}
	next := "run `ovi plan` first"
	if len(known) > 0 {
		next = "use --stack " + strings.Join(known, " or ")
	}
	return "", cli.Usage(next, "nothing is recorded of stack %s", stack)
}

// only removes what other stacks have; "" removes nothing.
func (s *state) only(stack string) {
	if stack == "" {
		return
	}
	other := func(r resource.Ref) bool { return r.Stack != stack }
	s.stack = stack
	s.open = slices.DeleteFunc(s.open, func(o ledger.OpenAction) bool { return other(o.Ref) })
	s.unread = slices.DeleteFunc(s.unread, func(u event.Unread) bool { return u.Stack != stack })
	s.waves = slices.DeleteFunc(s.waves, func(w event.Wave) bool { return w.Stack != stack })
	s.plans = slices.DeleteFunc(s.plans, func(p history.Plan) bool { return !slices.Contains(p.Stacks, stack) })
	maps.DeleteFunc(s.attempts, func(r resource.Ref, _ ledger.ResourceTries) bool { return other(r) })
	maps.DeleteFunc(s.fights, func(r resource.Ref, _ ledger.Fights) bool { return other(r) })
	maps.DeleteFunc(s.outages, func(r resource.Ref, _ []ledger.Outage) bool { return other(r) })
	maps.DeleteFunc(s.replacing, func(r resource.Ref, _ ledger.Replacement) bool { return other(r) })
}

// managed are the resources that are shown, sorted by ref.
func (s state) managed() []command.Seen {
	byScope := map[resource.Scope]ledger.Scan{}
	for _, x := range s.scans {
		byScope[x.Scope] = x
	}
	var out []command.Seen
	for _, scope := range slices.SortedFunc(maps.Keys(s.liveState.Scopes), resource.Scope.Compare) {
		snapshot := s.liveState.Scopes[scope]
		for _, o := range snapshot.Resources {
			if o.Managed() && (s.stack == "" || o.Ref.Stack == s.stack) {
				out = append(out, command.Seen{
					Observed: o, At: byScope[scope].Read(o.Ref.Kind), Blessed: o.Marks.Blessed || s.blessings[o.Ref],
				})
			}
		}
	}
	return out
}

// loadedOf is what was last loaded of a stack, of all for "".
func (s state) loadedOf(stack string) []event.Loaded {
	return slices.DeleteFunc(slices.Clone(s.loaded), func(l event.Loaded) bool { return stack != "" && l.Stack != stack })
}

func stateRecords(c *command.Call, s state) []render.Record {
	var out []render.Record
	for _, x := range s.scans {
		out = append(out, render.ScopeSeen{
			Type: "scope", Scope: x.Scope.String(), Observed: x.At, Complete: x.Complete,
			Error: x.Error, Unreachable: x.Unreachable, Seen: command.TimeOrNil(x.Confirmed), Count: x.Count(),
			Kinds: kindsSeen(x),
		})
	}
	for _, x := range s.loadedOf(s.stack) {
		out = append(out, render.StackLoaded{
			Type: "stack", Stack: x.Stack, Source: x.Source, Version: x.Version,
			Release: x.Release,
		})
	}
	for _, x := range s.unread {
		read := command.TimeOrNil(x.Read)
		if x.Never {
			read = nil
		}
		out = append(out, render.SourceUnread{
			Type: "source_unread", Stack: x.Stack, Part: x.Part, Error: x.Why, Read: read,
		})
	}
	for _, x := range s.managed() {
		out = append(out, x.Record(s.names))
	}
	if s.recovery != nil {
		out = append(out, render.Info{Type: "roster_recovery", Data: render.RecoveryOf(*s.recovery)})
	}
	for _, x := range s.doubted {
		out = append(out, render.Contradiction{Type: "contradiction", Key: x.Key, Text: x.Text})
	}
	for _, x := range s.open {
		by, running := s.holders.Of(x)
		out = append(out, render.OpenAction{
			Type: "open", Ref: s.names.Ref(x.Ref), Action: string(x.Action), Started: x.At,
			Instance: x.Instance, Host: x.Host, PID: x.PID, Error: x.Error, Running: running, By: by,
			Deadline: command.TimeOrNil(x.Deadline),
		})
	}
	return slices.Concat(out, recordsOfRollouts(s), failingRecords(c, s), recordsOfReplacements(s))
}

// kindsSeen returns what was last read of each kind of a scope, sorted by kind.
func kindsSeen(x ledger.Scan) []render.KindSeen {
	var out []render.KindSeen
	for _, kind := range command.SortedKeys(x.Counts) {
		out = append(out, render.KindSeen{
			Kind: kind, Seen: command.TimeOrNil(x.Read(kind)), Count: x.Counts[kind].All, Managed: x.Counts[kind].Managed,
			Error: cmp.Or(x.Unreachable[kind], x.Error),
		})
	}
	return out
}

// showDoubted tells what the store says and the log of an instance does not.
func showDoubted(doubted []ledger.Contradiction, alert func(text, suggestion string)) {
	for _, x := range doubted {
		if x.Log != "" {
			alert(x.Text, "run `ovi audit verify` where instance "+x.Log+" runs")
			continue
		}
		alert("the store says what the audit log does not, so it does not count: "+x.Text,
			"run `ovi audit replay` to compare them, and with --repair to rebuild the store")
	}
}

// showOutages names the things that were freed for resources which are not up.
func showOutages(c *command.Call, s state, alert func(text, suggestion string)) {
	refs := slices.SortedFunc(maps.Keys(s.outages), resource.Ref.Compare)
	for _, ref := range refs {
		for _, o := range s.outages[ref] {
			alert(phrase.Outage(o, ref, c.Now()))
		}
	}
}

// statusRows are the managed resources by stack. A name is as short as its stack permits.
func statusRows(
	c *command.Call, l *ledger.Ledger, s state, managed []command.Seen,
) (out []render.StatusRow, err error) {
	byStack := map[string][]command.Seen{}
	for _, x := range managed {
		byStack[x.Ref.Stack] = append(byStack[x.Ref.Stack], x)
	}
	past := history.New(l.Reader())
	for _, stack := range command.SortedKeys(byStack) {
		var refs []resource.Ref
		for _, x := range byStack[stack] {
			refs = append(refs, x.Ref)
		}
		short := s.names.Shorten(slices.Compact(refs)...) // a resource that is being replaced has two lines
		for _, x := range byStack[stack] {
			note := x.Note()
			drifted, err := s.changedOutside(c, past, x.Observed)
			if err != nil {
				return nil, err
			}
			if drifted {
				note = strings.TrimSuffix("drifted, "+note, ", ")
			}
			out = append(out, render.StatusRow{
				Stack: stack, Resource: short(x.Ref), ID: phrase.ID(x.ID), Health: string(x.Health),
				Observed: c.Ago(x.At), Note: note,
			})
		}
	}
	return out, nil
}

// changedOutside reports whether what ovi applied to a resource was changed since the last action on it, and not by
// ovi. An action without a result may have caused any change.
func (s *state) changedOutside(c *command.Call, past *history.Reader, now resource.Observed) (bool, error) {
	if slices.ContainsFunc(s.open, func(o ledger.OpenAction) bool { return o.Ref == now.Ref }) {
		return false, nil
	}
	was, err := past.AfterAction(c, now.Ref)
	if err != nil || was == nil || now.Role != "" {
		return false, err
	}
	applied, _, err := past.Applied(c, now.Ref, storage.Now)
	if err != nil {
		return false, err
	}
	changes := slices.DeleteFunc(explain.WithoutBinding(explain.Differ(*was, now)), func(x resource.Change) bool {
		name, _, _ := strings.Cut(x.Path, ".")
		_, configured := applied.Attrs.Get(name)
		return x.On == resource.OnAttribute && x.Path != "health" && name != "tags" && !configured
	})
	kind, _ := command.Schemas(c.Process).Kind(now.Ref.Provider, now.Ref.Kind)
	return explain.MadeOutside(changes, kind), nil
}

func stateTables(c *command.Call, l *ledger.Ledger, s state) error {
	var v render.StatusView
	managed := s.managed()
	refs := make([]resource.Ref, len(managed))
	for i, x := range managed {
		refs[i] = x.Ref
	}
	short := s.names.Shorten(slices.Compact(refs)...) // a resource that is being replaced has two lines
	var err error
	if v.Rows, err = statusRows(c, l, s, managed); err != nil {
		return err
	}
	alert := func(text, suggestion string) {
		v.Notices = append(v.Notices, render.Notice{Text: text, Suggestion: suggestion})
	}
	note := func(text string) { v.Notices = append(v.Notices, render.Notice{Text: text, Note: true}) }
	showDoubted(s.doubted, alert)
	if s.recovery != nil {
		alert(phrase.Recovery(*s.recovery), "if you do not know why, run `ovi signer recover --cancel --sign KEYFILE`")
	}
	for _, u := range s.unread {
		alert(phrase.Unread(u, c.Now()), "correct it, or wait until it can be read")
	}
	for _, x := range s.loadedOf(s.stack) {
		if x.Release != "" {
			note(fmt.Sprintf("stack %s: version %s of %s", x.Stack, x.Release, x.Source))
		}
	}
	for _, x := range s.scans {
		switch {
		case x.Offline:
			note(fmt.Sprintf("%s is %s", s.names.Scope(x.Scope), (&offline.Error{Since: x.Confirmed}).Error()))
		case !x.Complete:
			alert(fmt.Sprintf("%s is unreachable; last observed %s", s.names.Scope(x.Scope), c.Ago(x.Oldest())), "")
		}
		for _, kind := range command.SortedKeys(x.Unreachable) {
			alert(fmt.Sprintf("%s in %s is unreachable; see `ovi plan`", kind, s.names.Scope(x.Scope)), "")
		}
	}
	for _, p := range s.plans {
		var found []string
		if p.Counts.Conflict > 0 {
			found = append(found, render.Many(p.Counts.Conflict, "conflict"))
		}
		if p.Counts.Broken > 0 {
			found = append(found, render.Many(p.Counts.Broken, "broken resource"))
		}
		if len(found) > 0 {
			alert(fmt.Sprintf("stack %s: %s in the last plan, %s", strings.Join(p.Stacks, ", "), strings.Join(found, ", "),
				c.Ago(p.At)), "run `ovi plan` to list them")
		}
	}
	showOutages(c, s, alert)
	showRolloutsOf(s, alert, note)
	showFailing(c, s, short, alert)
	if err := showFights(c, l, s, short, alert); err != nil {
		return err
	}
	v.Notices = append(v.Notices, replacementsIn(s, short, c.Ago)...)
	showOpen(c, s, short, alert, note)
	return v.Write(c.Out.W, c.Out.Style)
}

// showOpen names the actions without a recorded result: those that run, and those that an observation must recover.
func showOpen(
	c *command.Call, s state, short func(resource.Ref) string, alert func(text, suggestion string), note func(string),
) {
	for i, x := range s.open {
		if by, running := s.holders.Of(x); running {
			note(short(x.Ref) + ": " + phrase.Flight(x.Action, c.Elapsed(x.At), by))
			continue
		}
		if x.Accepted {
			note(fmt.Sprintf("%s: %s in progress until %s", short(x.Ref), x.Action, x.Deadline.UTC().Format("15:04:05 UTC")))
			continue
		}
		if x.Failed {
			alert(fmt.Sprintf("%s: %s failed %s by %s", short(x.Ref), x.Action, x.At.UTC().Format("15:04:05 UTC"), x.User),
				"run `ovi why "+short(x.Ref)+"`")
			continue
		}
		next := ""
		if i == len(s.open)-1 {
			next = "run `ovi plan` to recover it"
		}
		alert(fmt.Sprintf("%s: %s started %s by %s, no result recorded", short(x.Ref), x.Action,
			x.At.UTC().Format("15:04:05 UTC"), x.User), next)
	}
}

package reconcile

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	urfave "github.com/urfave/cli/v2"

	"github.com/ovi-project/ovi/cmd/cli"
	"github.com/ovi-project/ovi/cmd/command"
	"github.com/ovi-project/ovi/cmd/session"
	"github.com/ovi-project/ovi/comparator"
	"github.com/ovi-project/ovi/decider"
	"github.com/ovi-project/ovi/engine"
	"github.com/ovi-project/ovi/ledger/event"
	"github.com/ovi-project/ovi/ledger/phrase"
	"github.com/ovi-project/ovi/render"
	"github.com/ovi-project/ovi/render/planview"
	"github.com/ovi-project/ovi/render/renamed"
	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/resource/cmdline"
	"github.com/ovi-project/ovi/resource/outputs"
	"github.com/ovi-project/ovi/resource/pins"
)

// PlanCommand returns the command `ovi plan`.
func PlanCommand(p *command.Process) *urfave.Command {
	return &urfave.Command{
		Name: "plan", Category: command.GroupReconcile, ArgsUsage: "[SOURCE]",
		Usage: "Show pending changes",
		Flags: append(decidingFlags(),
			&urfave.StringFlag{Name: "out", Usage: "save the plan to `FILE` for `ovi apply FILE`"},
			&urfave.BoolFlag{
				Name:  "detailed-exitcode",
				Usage: "exit 2 if the plan has changes, or an attribute could not be verified",
			},
			&urfave.BoolFlag{Name: "check", Usage: "check the changes with the providers, without making them, and warn"},
			command.TimeoutFlag(),
			&urfave.StringFlag{Name: "at", Usage: "plan against live state as recorded at `REVISION` or time " +
				"(2006-01-02T15:04:05Z, or 90m for 90 minutes ago); cannot be applied"},
		),
		Action: p.Action(plan),
	}
}

// planOptions are the options of `ovi plan`.
type planOptions struct {
	DecidingOptions
	out, at         string
	detailed, check bool
}

func planOptionsOf(c *command.Call) planOptions {
	return planOptions{
		DecidingOptions: decidingOptionsOf(c), out: c.Cmd.String("out"), at: c.Cmd.String("at"),
		detailed: c.Cmd.Bool("detailed-exitcode"), check: c.Cmd.Bool("check"),
	}
}

func plan(c *command.Call) error {
	o := planOptionsOf(c)
	if err := c.AtMost(1); err != nil {
		return err
	}
	defer c.Bounded()()
	if o.at != "" && (o.out != "" || o.maxAge != 0) {
		return cli.Usage("omit --out and --max-age", "a plan of the past (--at) cannot be applied")
	}
	paths, err := session.Sources(c, c.Cmd.Args().Slice()...)
	if err != nil {
		return err
	}
	return session.WithAccepting(c, paths, func(l *session.Session) error { return planLine(c, l, paths, o) })
}

func planLine(c *command.Call, l *session.Session, paths []string, o planOptions) error {
	planned, err := makePlan(c, l, event.ForPlan, o)
	if err != nil {
		return err
	}
	if err := ShowPlan(c, planned, o.view(l)); err != nil {
		return err
	}
	if o.out != "" {
		if err := session.SavePlan(c, o.out, paths, l, planned); err != nil {
			return err
		}
		c.Out.Say("Saved to %s. Run `ovi apply %s` to apply it.", o.out, o.out)
	}
	return cli.Exit(planCodes(planned, o.detailed)...)
}

// planCodes are the exit codes of a plan; detailed ones tell of changes too.
func planCodes(p *engine.Planned, detailed bool) []int {
	codes := standingCodes(p)
	if detailed && (!p.Plan.Empty() || event.Count(p.Plan).NotVerified > 0) {
		codes = append(codes, cli.ExitChanges)
	}
	return codes
}

// waitsForOthers reports whether a decision is left to a running action of another run.
func waitsForOthers(p decider.Plan) bool {
	return slices.ContainsFunc(p.Decisions, func(d decider.Decision) bool {
		return slices.ContainsFunc(d.Blockers, func(b decider.Blocker) bool { return b.Policy == engine.BusyPolicy })
	})
}

// standingCodes are the exit codes of what neither a plan nor an apply can do anything about.
func standingCodes(p *engine.Planned) []int {
	var codes []int
	counts := event.Count(p.Plan)
	if p.Plan.Unread() || len(p.Unread()) > 0 {
		codes = append(codes, cli.ExitUnreachable)
	}
	if slices.ContainsFunc(p.NotFound, func(n engine.NotFound) bool { return !n.Unread }) {
		codes = append(codes, cli.ExitError)
	}
	if counts.Conflict > 0 {
		codes = append(codes, cli.ExitConflict)
	}
	if counts.Broken > 0 {
		codes = append(codes, cli.ExitBlocked)
	}
	return codes
}

// makePlan plans what the command line selects.
func makePlan(c *command.Call, l *session.Session, mode event.Mode, o planOptions) (*engine.Planned, error) {
	if err := o.targets.Check(); err != nil {
		return nil, err
	}
	if err := command.Replaceable(o.Replace, command.Configured(l.Intents)); err != nil {
		return nil, err
	}
	options := PlanOptions(c, l, mode, o.DecidingOptions)
	options.Check = o.check
	var err error
	if options.At, err = session.RevisionOf(c, l.Ledger, o.at); err != nil {
		return nil, err
	}
	p, err := l.Engine.Plan(c, l.Intents, options)
	if err != nil {
		return nil, err
	}
	return p, o.targets.CheckIn(p)
}

// startingFor is how long what is to be applied waits for what starts.
const startingFor = 2 * time.Minute

// starting lets a plan that is applied wait for what starts, such as a cluster of a killed run.
func starting(c *command.Call, mode event.Mode) engine.Starting {
	if mode != event.ForApply {
		return engine.Starting{}
	}
	return engine.Starting{For: startingFor, Tell: func(o resource.Observed) {
		c.Out.Say("Waiting up to %s for %s: %s", phrase.Age(startingFor), o.Ref.Short(), cmp.Or(o.Message, string(o.Health)))
	}}
}

// PlanOptions returns the options of a plan of an open session.
func PlanOptions(c *command.Call, l *session.Session, mode event.Mode, o DecidingOptions) engine.PlanOptions {
	return engine.PlanOptions{
		Mode:    mode,
		Targets: o.targets.Only, Excludes: o.targets.Excluded,
		AllowReplace: o.AllowReplace, Replace: o.Replace,
		Destroy:         o.destroy,
		SkipDestructive: o.skipDestructive, Prune: o.PruneData,
		SetUnverified: o.setUnverified,
		Rules:         l.Rules,
		MaxAge:        o.maxAge,
		Starting:      starting(c, mode),
	}
}

// PlanView is how a plan is shown.
type PlanView struct {
	Dir    string // the data directory
	Full   bool   // equal creates one by one
	maxAge time.Duration
}

// view is how a plan of a session is shown.
func (o DecidingOptions) view(l *session.Session) PlanView {
	return PlanView{Dir: l.Dir, Full: o.full, maxAge: o.maxAge}
}

// ShowPlan writes the plan: a page for users, records for programs.
func ShowPlan(c *command.Call, p *engine.Planned, v PlanView) error {
	names := session.NamesOf(p)
	WarnOfExposed(c)
	if c.Out.Machine() {
		if err := errors.Join(unreadSources(c, p), Unreachable(c, p, names)); err != nil {
			return err
		}
		if err := c.Out.Records(render.GivenValues(p.Given)...); err != nil {
			return err
		}
		if err := c.Out.Records(append(session.LookRecords(c, p, names), render.Planned(p.Plan, names)...)...); err != nil {
			return err
		}
		if err := c.Out.Records(flightRecords(p, names)...); err != nil {
			return err
		}
		return c.Out.Records(render.ChangeSummary{
			Type: "change_summary", Operation: "plan", Counts: render.Count(p.Plan), Unmanaged: render.UnmanagedIn(p.Plan),
			Plan: p.ID, Sandbox: c.Sandboxed(),
		})
	}
	view := planview.View{Plan: p.Plan, Names: names, Verb: "Plan", Kinds: command.Schemas(c.Process).Kind, ID: p.IDOf}
	view.Full, view.Verbose = v.Full, c.Out.Verbose
	view.Running = flightLines(p, names, c.Now())
	if !c.Out.Quiet {
		view.Head = head(c, p, v)
	}
	return view.Write(c.Out.W, c.Out.Style)
}

// unreadSources writes, for programs, a diagnostic for each part of a source that could not be read.
func unreadSources(c *command.Call, p *engine.Planned) error {
	for _, line := range session.UnreadLines(c, p) {
		if err := c.Out.Records(cli.Diagnostic(line, "correct it, or wait until it can be read")); err != nil {
			return err
		}
	}
	return nil
}

// Unreachable gives programs a diagnostic for each scope and kind that was not observed.
func Unreachable(c *command.Call, p *engine.Planned, names render.Names) error {
	for _, scope := range SortedScopes(p.Plan.Unreachable) {
		if since, offline := p.Plan.Offline[scope]; offline {
			if err := c.Out.Records(render.Offline{
				Type: "offline",
				Data: render.OfflineScope{Scope: scope.String(), Since: command.TimeOrNil(since)},
			}); err != nil {
				return err
			}
			continue
		}
		d := cli.Diagnostic(fmt.Sprintf("%s is unreachable", names.Scope(scope)),
			"its resources are not evaluated until it can be observed")
		d.Detail = p.Plan.Unreachable[scope]
		if err := c.Out.Records(d); err != nil {
			return err
		}
	}
	for _, scope := range slices.SortedFunc(maps.Keys(p.Plan.UnreachableKinds), resource.Scope.Compare) {
		for _, kind := range command.SortedKeys(p.Plan.UnreachableKinds[scope]) {
			d := cli.Diagnostic(fmt.Sprintf("%s in %s is unreachable", kind, names.Scope(scope)),
				"its resources are not evaluated until it can be observed")
			d.Detail = p.Plan.UnreachableKinds[scope][kind]
			if err := c.Out.Records(d); err != nil {
				return err
			}
		}
	}
	for _, n := range p.NotFound {
		summary, why := notFound(n)
		d := cli.Diagnostic(summary, cmp.Or(n.Suggestion, "correct its lookup, or create it"))
		d.Detail = why
		if err := c.Out.Records(d); err != nil {
			return err
		}
	}
	for _, x := range renames(c, p) {
		d := cli.Diagnostic(x.Text(), x.All())
		d.Severity = render.Warning
		if err := c.Out.Records(d); err != nil {
			return err
		}
	}
	for _, x := range renamed.Relocations(p.Plan) {
		d := cli.Diagnostic(x.Text(names.Scope), x.Suggestion())
		d.Severity = render.Warning
		if err := c.Out.Records(d); err != nil {
			return err
		}
	}
	for _, x := range p.Repinned {
		d := cli.Diagnostic(repinned(x), "correct the lookup if that is not the resource that it means")
		if err := c.Out.Records(d); err != nil {
			return err
		}
	}
	for _, x := range p.Unknown {
		if err := c.Out.Records(cli.Diagnostic(x.String(), keepsRecord)); err != nil {
			return err
		}
	}
	for _, x := range p.Unsaved {
		if err := c.Out.Records(cli.Diagnostic(unsaved(x), "create a new plan to record it")); err != nil {
			return err
		}
	}
	return nil
}

// keepsRecord explains an output whose value is not known.
const keepsRecord = "its recorded value stays until an apply knows it"

// unsaved describes an output that a saved plan does not have.
func unsaved(x outputs.Change) string {
	return "outputs." + x.Name + " of stack " + x.Stack + " changed since the plan was made"
}

// notFound describes a lookup without a result.
func notFound(n engine.NotFound) (summary, why string) {
	switch {
	case n.Stale:
		return n.Ref.Short() + " has changed", n.Why
	case n.Unfit:
		return n.Ref.Short() + " does not fit", n.Why
	case outputs.IsRef(n.Ref):
		return n.Ref.Short() + " has no value", n.Why
	case n.Several:
		return n.Ref.Short() + " is not unique", n.Why
	case n.Unread:
		return n.Ref.Short() + " could not be looked up", n.Why
	case n.Named:
		return n.Ref.Short() + " is not in the configuration", n.Why
	}
	return n.Ref.Short() + " was not found", n.Why
}

// repinned describes a lookup that found another resource than before.
func repinned(x pins.Change) string {
	return fmt.Sprintf("%s is %s now: the last apply used %s", x.Ref.Short(), x.Now, x.Was)
}

// maxRenamed is the number of undeclared renames that are shown above a plan.
const maxRenamed = 3

// maxRecovered is how many recovered actions are shown above a plan; the audit log has all.
const maxRecovered = 10

// head is the lines above a plan: its stack, the data directory, and what is not fresh.
func head(c *command.Call, p *engine.Planned, v PlanView) []string {
	dir := v.Dir
	line := strings.Join(slices.Concat([]string{"Stack " + strings.Join(p.Stacks, ", ")}, accounts(p),
		[]string{"data directory " + dir}), "  ")
	if c.Sandboxed() {
		line = fmt.Sprintf("Stack %s  sandbox, no real resources  data directory %s", strings.Join(p.Stacks, ", "), dir)
	}
	head := append([]string{line}, cmdline.Lines(p.Given)...)
	head = append(head, session.Freshness(c, p, v.maxAge)...)
	head = append(head, session.UnreadLines(c, p)...)
	head = append(head, lostRecord(p, dir)...)
	for _, n := range p.NotFound {
		summary, why := notFound(n)
		if outputs.IsRef(n.Ref) {
			why += "; " + n.Suggestion
		}
		head = append(head, summary+": "+why)
	}
	for _, x := range p.Plan.StackPins { // the outputs of other stacks that the plan uses, with their records
		head = append(head, fmt.Sprintf("stack/%s.%s is %s (record %d)", x.Stack, x.Name, render.Value(x.Value), x.Record))
	}
	for _, x := range p.Repinned {
		head = append(head, repinned(x))
	}
	for _, x := range p.Unknown {
		head = append(head, x.String())
	}
	for _, x := range p.Unsaved {
		head = append(head, unsaved(x)+": create a new plan to record it")
	}
	for _, x := range renamed.Relocations(p.Plan) {
		head = append(head, x.Text(session.NamesOf(p).Scope)+": "+x.Suggestion())
	}
	undeclared := renames(c, p)
	for i, x := range undeclared {
		if n := len(undeclared) - i; i == maxRenamed && n > 1 {
			head = append(head, fmt.Sprintf("%d more renames may be meant: `ovi plan --json` lists them", n))
			break
		}
		head = append(head, x.Text()+": "+x.Suggestion())
	}
	news := slices.DeleteFunc(slices.Clone(p.Recovered), event.Recovered.NoNews)
	for i, s := range news {
		if n := len(news) - i; i == maxRecovered && n > 1 {
			head = append(head, fmt.Sprintf("%d more actions of earlier runs were recovered: see `ovi audit log --type "+
				"recovered`", n))
			break
		}
		head = append(head, fmt.Sprintf("%s: %s (%s)", s.Ref.Short(), phrase.Found(string(s.Action), s.Finding), s.Evidence))
	}
	return head
}

// lostRecord is what to do where several resources have the tags of the stack and no resource is on
// record: the data directory is most likely another one than that in which they were created.
func lostRecord(p *engine.Planned, dir string) []string {
	n := 0
	for i := range p.Plan.Decisions {
		d := &p.Plan.Decisions[i]
		if d.Difference != comparator.Conflict || d.Observed == nil ||
			!slices.Contains(p.Stacks, d.Observed.Marks.Ref.Stack) {
			continue
		}
		if d.Observed.Ownership == resource.Unproven || d.Observed.Ownership == resource.Attested {
			n++
		}
	}
	owned := 0
	for _, m := range p.Plan.Owned {
		owned += m
	}
	if n < 2 || owned > 0 {
		return nil
	}
	return []string{
		fmt.Sprintf("%d resources have the tags of stack %s and no record in %s.", n, strings.Join(p.Stacks, ", "), dir),
		"If the data directory was lost, restore it, or run `ovi adopt --marked --unproven`.",
	}
}

// accounts names the accounts and hosts of a plan: "AWS account 123456789012".
func accounts(p *engine.Planned) []string {
	return session.NamesOf(p).Accounts(func(s resource.Scope) string {
		for _, o := range p.Observations {
			if o.Scope == s {
				return o.Place
			}
		}
		return ""
	})
}

// SortedScopes returns the scopes of a map in order.
func SortedScopes(m map[resource.Scope]string) []resource.Scope {
	var out []resource.Scope
	for s := range m {
		out = append(out, s)
	}
	slices.SortFunc(out, resource.Scope.Compare)
	return out
}

// Executing counts the actions of a plan, and the outputs that it records.
func Executing(p decider.Plan) int { return len(toDo(p)) + len(p.Outputs) }

// toDo are the resources that a plan acts on.
func toDo(p decider.Plan) []resource.Ref {
	var out []resource.Ref
	for _, d := range p.Decisions {
		if d.Action.Executes() {
			out = append(out, d.Ref)
		}
	}
	return out
}

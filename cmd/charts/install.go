package charts

import (
	"errors"
	"slices"
	"time"

	urfave "github.com/urfave/cli/v2"

	"github.com/ovi-project/ovi/cmd/cli"
	"github.com/ovi-project/ovi/cmd/command"
	"github.com/ovi-project/ovi/cmd/reconcile"
	"github.com/ovi-project/ovi/cmd/session"
	"github.com/ovi-project/ovi/decider"
	"github.com/ovi-project/ovi/engine"
	"github.com/ovi-project/ovi/ledger/event"
	"github.com/ovi-project/ovi/render"
	"github.com/ovi-project/ovi/render/cutepod"
	"github.com/ovi-project/ovi/source"
	"github.com/ovi-project/ovi/source/chart"
)

// InstallCommand returns the command `ovi install`.
func InstallCommand(p *command.Process) *urfave.Command {
	return chartCommand(p, "install", "Install a chart: apply it without a question")
}

// UpgradeCommand returns the command `ovi upgrade`.
func UpgradeCommand(p *command.Process) *urfave.Command {
	return chartCommand(p, "upgrade", "Upgrade a chart: apply it without a question")
}

// chartCommand is one of the commands of the containers design. They do what apply --auto-approve
// does, skip what is invalid, and print the screens of the design.
func chartCommand(p *command.Process, name, usage string) *urfave.Command {
	return &urfave.Command{
		Name: name, Category: command.GroupReconcile, ArgsUsage: "[NAMESPACE] [CHART]",
		Usage: usage,
		Description: "It does the same as `ovi apply --auto-approve`, with other screens. ovi skips a resource " +
			"with an invalid field and every resource that depends on it, and then deletes nothing.",
		Flags: append(session.ChartFlags(),
			&urfave.BoolFlag{Name: "dry-run", Usage: "show the changes without making them"},
			&urfave.BoolFlag{
				Name: "verbose", Aliases: []string{"v"},
				Usage: "show each step, with the command that does the same by hand",
			},
			&urfave.BoolFlag{Name: "prune-data", Usage: "delete volumes that are no longer in the chart, with their data"},
			command.TimeoutFlag(), session.PolicyFlag(), command.LockFlag(),
			&urfave.IntFlag{Name: "parallelism", Usage: "run at most `N` actions at once (default: 10)"},
		),
		Action: p.Action(install),
	}
}

// installOptions are the options of `ovi install` and `ovi upgrade`.
type installOptions struct {
	namespace         string
	named             bool // a namespace is given, whatever it is
	dryRun, pruneData bool
	parallelism       int
}

func installOptionsOf(c *command.Call) installOptions {
	return installOptions{
		namespace: session.NamespaceOf(c), named: c.Given("namespace") != "", dryRun: c.Cmd.Bool("dry-run"),
		pruneData: c.Cmd.Bool("prune-data"), parallelism: c.Cmd.Int("parallelism"),
	}
}

// Installation is one run of install or upgrade.
type Installation struct {
	*command.Call
	given  installOptions
	began  time.Time
	paths  []string
	result render.ChartResult
	Screen cutepod.Formatter
	head   cutepod.Head
	Chart  *ChartView
}

// install reads the chart, plans and applies it. Once the arguments are read, each error ends in the form of the
// design.
func install(c *command.Call) error {
	in := &Installation{Call: c, given: installOptionsOf(c), began: c.Now()}
	args, err := in.namespaced()
	if err != nil {
		return err
	}
	if in.paths, err = session.Sources(c, args...); err != nil {
		return err
	}
	if !session.IsKind(in.paths[0], session.Chart) {
		return cli.Usage("name a folder with a Chart.yaml, or use `ovi apply`", "`ovi %s` needs a chart, and %s is not one",
			c.Cmd.Command.Name, in.paths[0])
	}
	defer c.Bounded()()
	in.describe()
	dir := session.DataDir(in.Call, in.paths)
	intents, problems, err := session.LoadBy(in.Call, in.paths, dir, "", source.ResolveValid)
	var unread source.Problems
	if errors.As(err, &unread) {
		problems, err = append(problems, unread...), nil
	}
	if err != nil {
		return err
	}
	if len(intents) == 0 {
		// The chart cannot be used at all.
		in.head.Unread = true
		reconcile.WarnOfExposed(in.Call)
		in.Screen.Start(in.head)
		for _, p := range problems {
			in.fail(problemError(p))
		}
		return in.end(cli.ExitError)
	}
	in.Chart = newChartView(in.Process.Entries(), intents[0], in.given.namespace)
	l, err := session.OpenWith(in.Call, dir, in.paths, intents)
	if err != nil {
		return err
	}
	return session.Closing(in.Call, l, in.plan(l, problems))
}

// namespaced reads the two forms of the arguments: CHART, and NAMESPACE CHART.
func (in *Installation) namespaced() ([]string, error) {
	args := in.Cmd.Args().Slice()
	switch {
	case len(args) < 2:
		return args, nil
	case len(args) > 2:
		return nil, in.AtMost(2)
	case in.given.named && in.given.namespace != args[0]:
		return nil, cli.Usage("give the namespace once", "two namespaces: %s and %s", args[0], in.given.namespace)
	}
	in.given.namespace = args[0]
	return args[1:], in.Cmd.Set("namespace", args[0])
}

// describe fills in what is known without reading the manifests.
func (in *Installation) describe() {
	name, version := chart.About(in.paths[0], nil)
	r := &in.result
	*r = render.ChartResult{
		Type: "chart_result", Operation: in.Cmd.Command.Name, Path: in.paths[0], Chart: name, Version: version,
		Namespace: in.given.namespace, DryRun: in.given.dryRun,
		Created: []render.ChartAction{}, Updated: []render.ChartAction{}, Deleted: []render.ChartAction{},
		Errors: []render.ChartError{},
	}
	in.head = cutepod.Head{
		Operation: r.Operation, Path: r.Path, Chart: r.Chart, Namespace: r.Namespace,
		Version: r.Version, DryRun: r.DryRun,
	}
	in.Screen = &cutepod.Table{W: in.Out.W, Style: in.style(), Verbose: in.Out.Verbose}
	if in.Out.Machine() {
		in.Screen = cutepod.Records{To: in.Out.Enc}
	}
}

func (in *Installation) style() render.Style {
	s := in.Out.Style
	s.Quiet = in.Out.Quiet
	return s
}

// plan plans what is valid, and does it unless it is a dry run.
func (in *Installation) plan(l *session.Session, problems source.Problems) error {
	mode := event.ForApply
	if in.result.DryRun {
		mode = event.ForPlan
	}
	options := reconcile.PlanOptions(in.Call, l, mode, reconcile.DecidingOptions{PruneData: in.given.pruneData})
	options.Check = true
	p, err := l.Engine.Plan(in, l.Intents, options)
	if err != nil {
		return err
	}
	in.result.Plan, in.result.Summary.Unchanged = p.ID, p.Plan.Unchanged
	if in.result.Chart == "" { // plain manifests are named after their folder
		in.result.Chart = in.Chart.name()
		in.head.Chart = in.result.Chart
	}
	known := in.known(p, problems)
	in.head.Resources, in.head.Levels = in.Chart.resources(), in.Chart.levels()
	in.Chart.uses(plannedNames(in.Process.Entries(), p))
	in.head.Planned = in.Chart.order(p.Plan, known)
	in.head.Troubled = len(known) > 0 || in.warned(p.Plan)
	// A resource that is no longer in the chart stays for its data.
	for i := range p.Plan.Decisions {
		if d := &p.Plan.Decisions[i]; d.Reason == decider.ReasonKept {
			in.result.Kept = append(in.result.Kept, in.Chart.resource(d.Ref))
		}
	}
	in.Screen.Start(in.head)
	codes := reconcile.LeftOver(in.Call, p)
	if len(problems) > 0 {
		codes = append(codes, cli.ExitFailed)
	}
	if in.result.DryRun {
		in.preview(p.Plan)
		for _, e := range known {
			in.note(e)
		}
		in.arrange()
		in.Screen.DryRun(in.result)
		if in.warned(p.Plan) {
			codes = append(codes, cli.ExitFailed)
		}
		return in.end(codes...)
	}
	for _, e := range known {
		in.fail(e)
	}
	if reconcile.Executing(p.Plan) == 0 {
		return in.end(codes...)
	}
	done, err := in.apply(l, p)
	return errors.Join(err, in.end(append(codes, done...)...))
}

// known are the errors that are known before anything is changed: those of the manifests, and what
// cannot or must not be done.
func (in *Installation) known(p *engine.Planned, problems source.Problems) []render.ChartError {
	var out []render.ChartError
	for _, x := range problems {
		out = append(out, problemError(x))
	}
	for _, scope := range reconcile.SortedScopes(p.Plan.Unreachable) {
		out = append(out, unreachableError(session.NamesOf(p).Scope(scope), p.Plan.Unreachable[scope]))
	}
	for scope, kinds := range p.Plan.UnreachableKinds {
		for _, kind := range command.SortedKeys(kinds) {
			out = append(out, unreachableError(kind+" in "+session.NamesOf(p).Scope(scope), kinds[kind]))
		}
	}
	for i := range p.Plan.Decisions {
		if e, is := in.Chart.blocked(&p.Plan.Decisions[i]); is {
			out = append(out, e)
		}
	}
	return out
}

// warned reports that a check found something that would fail.
func (in *Installation) warned(p decider.Plan) bool {
	for i := range p.Decisions {
		if _, is := in.Chart.warning(&p.Decisions[i]); is {
			return true
		}
	}
	return false
}

// fail reports an error.
func (in *Installation) fail(e render.ChartError) {
	in.note(e)
	in.Screen.Error(cutepod.Failed{ChartError: e})
}

func (in *Installation) note(e render.ChartError) {
	in.result.Errors = append(in.result.Errors, e)
}

// arrange sorts what was done by its place on the screen.
func (in *Installation) arrange() {
	place := map[render.ChartResource]int{}
	for i, r := range in.head.Planned {
		place[r] = i
	}
	for _, all := range [][]render.ChartAction{in.result.Created, in.result.Updated, in.result.Deleted} {
		slices.SortStableFunc(all, func(a, b render.ChartAction) int { return place[a.Resource] - place[b.Resource] })
	}
}

// end prints the summary and gives the exit code.
func (in *Installation) end(codes ...int) error {
	in.arrange()
	summarize(&in.result, in.Elapsed(in.began))
	if err := in.Screen.Summary(in.result); err != nil && !errors.Is(err, in.Answer.Failure()) {
		return err
	}
	if in.Err() != nil {
		codes = append(codes, in.Stopped())
	}
	return cli.Exit(codes...)
}

package reconcile

import (
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"

	urfave "github.com/urfave/cli/v2"

	"github.com/ovi-project/ovi/cmd/cli"
	"github.com/ovi-project/ovi/cmd/command"
	"github.com/ovi-project/ovi/cmd/session"
	"github.com/ovi-project/ovi/render"
	"github.com/ovi-project/ovi/source"
	"github.com/ovi-project/ovi/source/config/expansion"
)

// ConfigCommand returns the command `ovi config`.
func ConfigCommand(p *command.Process) *urfave.Command {
	flags := func(more ...urfave.Flag) []urfave.Flag {
		return append(append([]urfave.Flag{command.SourceFlag()}, more...),
			append(session.ChartFlags(), session.GitFlags()...)...)
	}
	return &urfave.Command{
		Name: "config", Category: command.GroupReconcile,
		Usage: "Show a configuration, or compare two environments",
		Subcommands: []*urfave.Command{
			{
				Name: "show", ArgsUsage: "[REF]", Usage: "Print a configuration without expressions",
				Description: "Prints the resources of a configuration after its expressions were evaluated, as a configuration.\n" +
					"With REF, such as ec2/web-0, prints this resource. Secrets are not printed. Calls no provider.",
				Flags: flags(&urfave.BoolFlag{
					Name:  "origin",
					Usage: "add the origin of each value: the file and line, and each variable with the source that set it",
				}),
				Action: p.Action(showConfiguration),
			},
			{
				Name: "diff", ArgsUsage: "ENVIRONMENT ENVIRONMENT [REF]", Usage: "Compare two environments of a configuration",
				Description: "Lists the resources that one environment alone has, and the attributes that differ.\n" +
					"Accounts are not compared.",
				Flags: flags(&urfave.BoolFlag{
					Name: "detailed-exitcode", Usage: "exit 2 if the environments differ",
				}, &urfave.BoolFlag{Name: "origin", Usage: "add the origin of each value in both environments"}),
				Action: p.Action(diffConfigurations),
			},
		},
	}
}

// expanded reads the configuration and returns its blocks. An empty ref means all blocks.
func expanded(c *command.Call, ref string) (expansion.Head, []expansion.Block, error) {
	if _, err := os.Stat(ref); ref != "" && err == nil {
		return expansion.Head{}, nil, cli.Usage("use -f "+ref,
			"the argument of `ovi config` is a resource, and %s is a file", ref)
	}
	paths, err := session.Sources(c)
	if err != nil {
		return expansion.Head{}, nil, err
	}
	checks := c.Checks()
	checks.Secrets = c.Secrets.Noting(Undigested{}) // no key is made for it
	all := expansion.Collector{Schemas: checks.Schemas}
	checks.Expanded = all.Add
	drafts, err := session.Drafts(c, paths, session.DataDir(c, paths), "", checks)
	if err != nil {
		return expansion.Head{}, nil, err
	}
	intents, problems := source.Resolve(drafts)
	if len(problems) > 0 {
		return expansion.Head{}, nil, problems
	}
	blocks := all.Blocks()
	if len(drafts) != 1 || len(blocks) == 0 && !session.IsKind(paths[0], session.Files) &&
		!session.IsKind(paths[0], session.Repository) {
		return expansion.Head{}, nil, cli.Usage("name a configuration file, or a folder of them",
			"`ovi config` reads one stack of configuration files")
	}
	head := expansion.Head{
		Stack: drafts[0].Stack, Environment: drafts[0].Environment, Identifier: drafts[0].Identifier,
	}
	if ref == "" && len(intents) == 1 {
		head.Outputs = expansion.OutputsOf(intents[0].Outputs)
	}
	if ref != "" {
		names := make([]string, len(blocks))
		for i := range blocks {
			names[i] = blocks[i].Ref()
		}
		blocks = slices.DeleteFunc(blocks, func(b expansion.Block) bool { return !b.Is(ref) })
		if len(blocks) == 0 {
			in := "the configuration"
			if drafts[0].Environment != "" {
				in = "the environment " + drafts[0].Environment
			}
			return expansion.Head{}, nil, cli.Usage(source.Suggest(ref, names), "%s has no resource %s", in, ref)
		}
	}
	return head, blocks, nil
}

// showOptions are the options of `ovi config show`.
type showOptions struct{ origin bool }

func showOptionsOf(c *command.Call) showOptions { return showOptions{origin: c.Cmd.Bool("origin")} }

func showConfiguration(c *command.Call) error {
	o := showOptionsOf(c)
	if err := c.AtMost(1); err != nil {
		return err
	}
	head, blocks, err := expanded(c, c.Arg(0))
	if err != nil {
		return err
	}
	if c.Out.Machine() {
		all := make([]map[string]any, 0, len(blocks))
		for i := range blocks {
			all = append(all, blocks[i].Data())
		}
		return c.Out.Records(render.Info{Type: "configuration", Data: struct {
			Stack       string           `json:"stack"`
			Environment string           `json:"environment,omitempty"`
			Identifier  string           `json:"identifier,omitempty"` // of options
			Resources   []map[string]any `json:"resources"`
			Outputs     any              `json:"outputs"`
		}{head.Stack, head.Environment, head.Identifier, all, head.Published()}})
	}
	text, err := expansion.YAML(head, blocks, o.origin)
	if err != nil {
		return fmt.Errorf("showing the configuration: %w", err)
	}
	return c.Out.Print(text)
}

// diffOptions are the options of `ovi config diff`.
type diffOptions struct {
	origin, detailed bool
	environment      bool // one is given as an option
}

func diffOptionsOf(c *command.Call) diffOptions {
	return diffOptions{
		origin: c.Cmd.Bool("origin"), detailed: c.Cmd.Bool("detailed-exitcode"), environment: c.Given("env") != "",
	}
}

func diffConfigurations(c *command.Call) error {
	o := diffOptionsOf(c)
	from, to := c.Arg(0), c.Arg(1)
	if err := c.AtMost(3); err != nil {
		return err
	}
	switch {
	case from == "" || to == "":
		return cli.Usage("use ovi config diff dev prod", "`ovi config diff` needs two environments")
	case o.environment:
		return cli.Usage("omit it", "`ovi config diff` compares the environments of its arguments, and --env is given")
	}
	var sides [2][]expansion.Block
	for i, env := range []string{from, to} {
		if err := c.Cmd.Set("env", env); err != nil {
			return fmt.Errorf("using the environment %s: %w", env, err)
		}
		_, blocks, err := expanded(c, "")
		if err != nil {
			return err
		}
		sides[i] = blocks
	}
	if ref := c.Arg(2); ref != "" {
		found := false
		for i := range sides {
			sides[i] = slices.DeleteFunc(sides[i], func(b expansion.Block) bool { return !b.Is(ref) })
			found = found || len(sides[i]) > 0
		}
		if !found {
			return cli.Usage("see `ovi config show --env "+from+"`", "neither environment has a resource %s", ref)
		}
	}
	all := expansion.Diff(sides[0], sides[1])
	if err := writeDifferences(c, from, to, all, o.origin); err != nil {
		return err
	}
	if len(all) > 0 && o.detailed {
		return cli.Exit(cli.ExitChanges)
	}
	return cli.Exit()
}

func writeDifferences(c *command.Call, from, to string, all []expansion.Difference, origin bool) error {
	if c.Out.Machine() {
		return c.Out.Records(render.Info{Type: "configuration_diff", Data: struct {
			From        string                 `json:"from"`
			To          string                 `json:"to"`
			Differences []expansion.Difference `json:"differences"`
		}{from, to, all}})
	}
	var b strings.Builder
	only := 0
	for _, d := range all {
		switch d.Only {
		case "from":
			only++
			fmt.Fprintf(&b, "- %s  only in %s\n", d.Ref, from)
		case "to":
			only++
			fmt.Fprintf(&b, "+ %s  only in %s\n", d.Ref, to)
		default:
			fmt.Fprintf(&b, "~ %s\n", d.Ref)
			wide := 0
			for _, v := range d.Values {
				wide = max(wide, len(v.Path))
			}
			for _, v := range d.Values {
				fmt.Fprintf(&b, "    %-*s  %s -> %s\n", wide, v.Path, side(v.From, v.FromOrigin), side(v.To, v.ToOrigin))
				for _, o := range [...][2]string{{from, v.FromOrigin}, {to, v.ToOrigin}} {
					if origin && o[1] != "" {
						fmt.Fprintf(&b, "        # %s: %s\n", o[0], render.Printable(o[1]))
					}
				}
			}
		}
	}
	if len(all) == 0 {
		fmt.Fprintf(&b, "No differences between %s and %s.\n", from, to)
	} else {
		fmt.Fprintf(&b, "Diff: %d only in one environment, %d with other attributes.\n", only, len(all)-only)
	}
	return c.Out.Print([]byte(b.String()))
}

// side returns one side of a difference. An empty origin means that the environment does not set the value.
func side(value, origin string) string {
	if origin == "" {
		return "(not set)"
	}
	if strings.ContainsAny(value, "\r\n") {
		return strconv.Quote(value)
	}
	return render.Printable(value)
}

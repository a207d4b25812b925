package command

import (
	"strings"

	urfave "github.com/urfave/cli/v2"

	"github.com/ovi-project/ovi/cmd/cli"
	"github.com/ovi-project/ovi/decider"
	"github.com/ovi-project/ovi/engine"
	"github.com/ovi-project/ovi/resource"
)

// TargetFlag returns the option --target.
func TargetFlag() urfave.Flag {
	return &urfave.StringSliceFlag{
		Name:  "target",
		Usage: "only `REF` (kind/name, a full ref, or a pattern) and what it depends on; repeatable",
	}
}

// ExcludeFlag returns the option --exclude.
func ExcludeFlag() urfave.Flag {
	return &urfave.StringSliceFlag{Name: "exclude", Usage: "exclude `REF` and what depends on it; repeatable"}
}

// Targets are the patterns of --target and --exclude.
type Targets struct{ Only, Excluded []string }

// TargetsOf returns the patterns that the command line gives.
func TargetsOf(c *Call) Targets {
	return Targets{Only: c.Cmd.StringSlice("target"), Excluded: c.Cmd.StringSlice("exclude")}
}

// each calls a function with each pattern and the name of its option, until it returns an error.
func (t Targets) each(do func(flag, pattern string) error) error {
	for _, pattern := range t.Only {
		if err := do("target", pattern); err != nil {
			return err
		}
	}
	for _, pattern := range t.Excluded {
		if err := do("exclude", pattern); err != nil {
			return err
		}
	}
	return nil
}

// Check refuses a --target or --exclude that is not a pattern, before anything is done.
func (t Targets) Check() error {
	return t.each(func(flag, pattern string) error {
		if _, err := decider.Names(pattern, resource.Ref{}); err != nil {
			return cli.Usage("use a name such as web-0, ec2/web-0 or web-*", "invalid --%s %q", flag, pattern)
		}
		return nil
	})
}

// CheckIn refuses a --target or --exclude that matches nothing in a plan.
func (t Targets) CheckIn(p *engine.Planned) error {
	refs := Configured(p.Intents)
	for _, d := range p.Plan.Decisions {
		refs = append(refs, d.Ref)
	}
	return t.CheckAmong(refs)
}

// CheckAmong refuses a --target or --exclude that matches no resource: it is misspelled, and its
// resource would be excluded or changed without notice.
func (t Targets) CheckAmong(refs []resource.Ref) error {
	return t.each(func(flag, pattern string) error {
		for _, r := range refs {
			if named, err := decider.Names(pattern, r); named && err == nil {
				return nil
			}
		}
		return cli.Usage(nearestRef(pattern, refs), "--%s %s matches no resource", flag, pattern)
	})
}

// Replaceable refuses names for --replace that do not select exactly one configured resource each.
func Replaceable(names []string, refs []resource.Ref) error {
	for _, name := range names {
		var found, like []string
		for _, r := range refs {
			if is, err := decider.Names(name, r); is && err == nil {
				found = append(found, r.Short())
			}
			if strings.HasPrefix(r.Short(), name+"-") || strings.HasPrefix(r.Name, name+"-") {
				like = append(like, r.Short())
			}
		}
		switch {
		case strings.ContainsAny(name, `*?[\`) || len(found) > 1:
			return cli.Usage("repeat --replace for each, with its kind: --replace "+append(found, "ec2/web-0")[0],
				"--replace %s does not name one resource", name)
		case len(found) == 0 && len(like) > 0:
			return cli.Usage("use --replace "+like[0], "--replace %s names no configured resource", name)
		case len(found) == 0:
			return cli.Usage(nearestRef(name, refs), "--replace %s names no configured resource", name)
		}
	}
	return nil
}

func nearestRef(pattern string, refs []resource.Ref) string {
	var names []string
	for _, r := range refs {
		names = append(names, r.Kind+"/"+r.Name, r.Name)
	}
	if near, ok := resource.Nearest(pattern, names); ok {
		return "did you mean " + near + "?"
	}
	return "use a name such as web-0, ec2/web-0 or web-*"
}

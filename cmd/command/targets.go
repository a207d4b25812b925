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

// CheckPatterns refuses a --target or --exclude that is not a pattern, before anything is done.
func CheckPatterns(c *Call) error {
	for _, flag := range []string{"target", "exclude"} {
		for _, pattern := range c.Cmd.StringSlice(flag) {
			if _, err := decider.Names(pattern, resource.Ref{}); err != nil {
				return cli.Usage("use a name such as web-0, ec2/web-0 or web-*", "invalid --%s %q", flag, pattern)
			}
		}
	}
	return nil
}

// CheckTargets refuses a --target or --exclude that matches nothing in a plan.
func CheckTargets(c *Call, p *engine.Planned) error {
	refs := Configured(p.Intents)
	for _, d := range p.Plan.Decisions {
		refs = append(refs, d.Ref)
	}
	return PatternsName(c, refs)
}

// Configured returns the refs of all configured resources.
func Configured(intents []resource.Intent) []resource.Ref {
	var refs []resource.Ref
	for _, in := range intents {
		for _, d := range in.Resources {
			refs = append(refs, d.Ref)
		}
	}
	return refs
}

// PatternsName refuses a --target or --exclude that matches nothing: it is misspelled, and its
// resource would be excluded or changed without notice.
func PatternsName(c *Call, refs []resource.Ref) error {
	for _, flag := range []string{"target", "exclude"} {
		for _, pattern := range c.Cmd.StringSlice(flag) {
			if !namesOne(pattern, refs) {
				return cli.Usage(nearestRef(pattern, refs), "--%s %s matches no resource", flag, pattern)
			}
		}
	}
	return nil
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

func namesOne(pattern string, refs []resource.Ref) bool {
	for _, r := range refs {
		if named, err := decider.Names(pattern, r); named && err == nil {
			return true
		}
	}
	return false
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

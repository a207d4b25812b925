package session

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/ovi-project/ovi/cmd/cli"
	"github.com/ovi-project/ovi/cmd/command"
	"github.com/ovi-project/ovi/ledger"
	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/source"
	"github.com/ovi-project/ovi/source/git"
)

// AcceptParts reads the configuration part by part: a part that cannot be read or is invalid is in the Parts of its
// intent, and a stack that is so as a whole has an Unread intent, if the source has others. An error is about the whole
// source.
//
// A stack that was never accepted does not start with some of its files: their problems are an error. The rows of a
// table are independent of each other.
func AcceptParts(c *command.Call, paths []string, dir string) ([]resource.Intent, source.Problems, error) {
	intents, problems, err := loadBy(c, paths, dir, "", allDrafts, source.Accept)
	if err != nil {
		return nil, nil, err
	}
	from := sourceKey(c, paths)
	if err := refuseUnknown(c, dir, from, intents); err != nil {
		return nil, nil, err
	}
	if len(intents) == 0 || unreadOnly(intents) {
		return nil, nil, wholeError(intents, problems)
	}
	for i := range intents {
		intents[i].From = from
		if intents[i].Unread == "" {
			c.Versions.Store(intents[i].Stack, intents[i].Version)
		}
	}
	return intents, problems, nil
}

// refuseUnknown makes the stacks unread as a whole that have parts which cannot be read and were not accepted from the
// source before: even the name of the stack may be in such a part.
func refuseUnknown(c *command.Call, dir, from string, intents []resource.Intent) error {
	open := func(in resource.Intent) bool {
		return slices.ContainsFunc(in.Parts, func(p resource.UnreadPart) bool { return !p.Only })
	}
	if !slices.ContainsFunc(intents, open) {
		return nil
	}
	var before []string
	if hasRecord(c, dir) {
		l, err := OpenLedger(c, dir)
		if err != nil {
			return err
		}
		before, err = l.Reader().Sources().From(c, from)
		if err = errors.Join(err, l.Close()); err != nil {
			return err
		}
	}
	for i := range intents {
		if in := &intents[i]; open(*in) && !slices.Contains(before, in.Stack) {
			in.Unread, in.Parts, in.Resources = in.Parts[0].Why, nil, nil
		}
	}
	return nil
}

// wholeError returns why no stack of a source can be used.
func wholeError(intents []resource.Intent, problems source.Problems) error {
	if len(problems) > 0 {
		return problems
	}
	for _, in := range intents {
		if in.Unread != "" {
			return &cli.Problem{Summary: "cannot read " + in.Source, Detail: in.Unread}
		}
	}
	return errors.New("the source has no stack")
}

// sourceKey identifies a source in the record: by its absolute paths or its URL, and by the environment. The stacks of
// other environments of a file are other ones, which this command must not restore while the file cannot be read.
func sourceKey(c *command.Call, paths []string) string {
	keys := make([]string, len(paths))
	for i, p := range paths {
		keys[i] = p
		if u, err := git.Parse(p); err == nil && git.Is(p) {
			keys[i] = u.String()
		} else if abs, err := filepath.Abs(p); err == nil {
			keys[i] = abs
		}
	}
	if name, _ := environment(c); name != "" {
		keys = append(keys, "(environment "+name+")")
	}
	return strings.Join(keys, " ")
}

// AcceptStack reads the configuration of one stack for a loop. The intent has the parts that cannot be read; they are
// not an error.
func AcceptStack(c *command.Call, paths []string, dir, stack string) ([]resource.Intent, error) {
	intents, problems, err := loadBy(c, paths, dir, stack, allDrafts, source.Accept)
	if c.Err() != nil {
		return nil, c.Err()
	}
	from := sourceKey(c, paths)
	for _, in := range intents {
		if in.Stack == stack {
			if in.From = from; in.Unread == "" {
				c.Versions.Store(stack, in.Version)
			}
			return []resource.Intent{in}, nil
		}
	}
	if err == nil { // an unreadable file may have the name of the stack
		err = wholeError(intents, problems)
	}
	return []resource.Intent{{Stack: stack, From: from, Source: strings.Join(paths, ", "), Unread: oneLine(c, err)}}, nil
}

// oneLine is an error as a part of a sentence: its first problem, with its position.
func oneLine(c *command.Call, err error) string {
	var problems source.Problems
	if errors.As(err, &problems) {
		return c.Held.Text(problems.Brief())
	}
	return c.Held.Text(strings.Join(strings.Fields(err.Error()), " "))
}

// recordedAs returns the stacks that were accepted from a source that cannot be read now.
func recordedAs(c *command.Call, l *ledger.Ledger, paths []string, unread error) ([]resource.Intent, error) {
	from := sourceKey(c, paths)
	stacks, err := l.Reader().Sources().From(c, from)
	if err != nil {
		return nil, err
	}
	out := make([]resource.Intent, len(stacks))
	for i, stack := range stacks {
		out[i] = resource.Intent{Stack: stack, From: from, Source: strings.Join(paths, ", "), Unread: oneLine(c, unread)}
	}
	return out, nil
}

// RecordedFrom returns the stacks that were accepted from sources, whether these can be read now or not.
func RecordedFrom(c *command.Call, l *ledger.Ledger, paths []string) ([]string, error) {
	return l.Reader().Sources().From(c, sourceKey(c, paths))
}

// AcceptOrRecorded reads a source as AcceptParts does. If the source cannot be read, it returns the recorded stacks.
func AcceptOrRecorded(c *command.Call, paths []string, dir string) ([]resource.Intent, error) {
	intents, _, unread := AcceptParts(c, paths, dir)
	return orRecorded(c, paths, dir, intents, unread)
}

// orRecorded returns what was read of a source, or the recorded stacks of one that could not be read.
func orRecorded(
	c *command.Call, paths []string, dir string, intents []resource.Intent, unread error,
) ([]resource.Intent, error) {
	if unread == nil || c.Err() != nil {
		return intents, unread
	}
	intents, err := recorded(c, paths, dir, unread)
	if err != nil || len(intents) == 0 {
		return nil, errors.Join(unread, err)
	}
	return intents, nil
}

// hasRecord reports whether a data directory has a record.
func hasRecord(c *command.Call, dir string) bool {
	_, err := os.Stat(filepath.Join(dir, "wal"))
	return err == nil || c.StoreName() != ""
}

// isUnreachable reports that a source could not be reached, so that nothing is known of it: its content is not refused.
func isUnreachable(err error) bool {
	var invalid source.Problems
	var told *cli.Problem
	var advised interface{ Suggestion() string } // what Git refused
	return !errors.As(err, &invalid) && !errors.As(err, &told) && !errors.As(err, &advised)
}

// LoopSources returns the paths of a loop's sources, as Sources does. A path that is missing or cannot be read is no
// error if its source is recorded.
func LoopSources(c *command.Call) ([]string, error) {
	args := c.Cmd.Args().Slice()
	paths, err := Sources(c, args...)
	if err == nil {
		return paths, nil
	}
	named := Named(c, args)
	implied := len(named) == 0
	if implied {
		named = []string{DefaultSource}
	}
	dir := DataDir(c, named)
	if !hasRecord(c, dir) || implied && len(command.StacksOf(dir, DefaultSource)) == 0 {
		return nil, err
	}
	for _, name := range named {
		if _, unread := os.Stat(name); unread == nil || IsKind(name, Repository) {
			if err := usable(name); err != nil {
				return nil, err
			}
		}
	}
	return named, nil
}

// WithAccepting opens the line as WithLine does, with the parts of the sources that can be read. A source that is
// invalid as a whole is an error. If a source cannot be reached, its last accepted configuration is used.
func WithAccepting(c *command.Call, paths []string, do func(*Session) error) error {
	dir := DataDir(c, paths)
	intents, problems, err := AcceptParts(c, paths, dir)
	if err != nil && isUnreachable(err) {
		intents, err = AcceptOrRecorded(c, paths, dir)
	}
	if err != nil {
		return err
	}
	if len(problems) > 0 {
		c.Out.Report(cli.Diagnose(problems)...)
	}
	l, err := OpenWith(c, dir, paths, intents)
	if err != nil {
		return err
	}
	return Closing(c, l, do(l))
}

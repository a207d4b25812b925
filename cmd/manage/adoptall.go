package manage

import (
	"errors"
	"fmt"
	"slices"

	"github.com/ovi-project/ovi/cmd/cli"
	"github.com/ovi-project/ovi/cmd/command"
	"github.com/ovi-project/ovi/cmd/session"
	"github.com/ovi-project/ovi/engine"
	"github.com/ovi-project/ovi/render"
	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/source/importer"
	"github.com/ovi-project/ovi/source/sqlite"
	"github.com/ovi-project/ovi/storage"
)

// several returns the function that adopts more than one resource; nil if the command line names one.
func (o adoptOptions) several(c *command.Call) func(*session.Session) error {
	switch {
	case o.byIDs && o.marked:
		return func(l *session.Session) error { return adoptListedMarked(c, l, o) }
	case o.byIDs:
		return func(l *session.Session) error { return adoptByID(c, l, o) }
	case o.byMatch:
		return func(l *session.Session) error { return adoptMatching(c, l, o) }
	case o.existing:
		return func(l *session.Session) error { return adoptExisting(c, l, o) }
	case o.marked:
		return func(l *session.Session) error { return adoptMarked(c, l, o) }
	}
	return nil
}

// adoptMarked adopts what has the tags of the stack and is not recorded.
func adoptMarked(c *command.Call, l *session.Session, o adoptOptions) error {
	all, err := l.Engine.Marked(c, l.Intents, o.unproven)
	if err != nil {
		return err
	}
	return adoptAll(c, l, o, all, "TAGS", func(r *resource.Observed) string {
		if r.Ownership == resource.Unproven {
			return "may have been copied"
		}
		return "written at creation"
	})
}

// adoptListedMarked adopts the unrecorded resources with the tags of the stack that a file lists, which people have
// reviewed. Other resources with the tags stay unmanaged and cause a warning.
func adoptListedMarked(c *command.Call, l *session.Session, o adoptOptions) error {
	listed, err := readIDs(l, o.ids)
	if err != nil {
		return err
	}
	all, err := l.Engine.Marked(c, l.Intents, o.unproven)
	if err != nil {
		return err
	}
	var allowed []resource.Observed
	for _, r := range all {
		if slices.ContainsFunc(listed, func(x engine.Identified) bool {
			return x.ID == r.ID && x.Ref.Stack == r.Ref.Stack && x.Ref.Kind == r.Ref.Kind && x.Ref.Name == r.Ref.Name
		}) {
			allowed = append(allowed, r)
			continue
		}
		c.Out.Warn(fmt.Sprintf("not adopted: %s %s: %s does not list it", r.Ref.Short(), r.ID, o.ids),
			"add the line after a review: "+r.Ref.Short()+" "+r.ID)
	}
	return adoptAll(c, l, o, allowed, "TAGS", func(*resource.Observed) string { return "listed" })
}

// adoptExisting adopts what exists under the names of the configuration and is unmanaged. Of a table of
// clusters that is those of rows that are to be absent too: the next apply deletes them.
func adoptExisting(c *command.Call, l *session.Session, o adoptOptions) error {
	absent, err := absentClusters(c, l)
	if err != nil {
		return err
	}
	all, err := l.Engine.Existing(c, l.Intents, absent)
	if err != nil {
		return err
	}
	all = slices.DeleteFunc(all, func(r resource.Observed) bool { return slices.Contains(o.exclude, r.Ref.Short()) })
	return adoptAll(c, l, o, all, "CONFIGURED", func(x *resource.Observed) string {
		if slices.ContainsFunc(absent, func(r resource.Ref) bool { return session.Bare(r) == session.Bare(x.Ref) }) {
			return "absent: the next apply deletes it"
		}
		return "present"
	})
}

// adoptByID adopts what a file lists.
func adoptByID(c *command.Call, l *session.Session, o adoptOptions) error {
	all, err := readIDs(l, o.ids)
	if err != nil {
		return err
	}
	found, err := l.Engine.ByID(c, l.Intents, all, o.force)
	if err != nil {
		return err
	}
	if done := len(all) - len(found); done > 0 {
		c.Out.Say("%s managed already.", render.Many(done, "resource"))
	}
	return adoptAll(c, l, o, found, "CALLED", func(r *resource.Observed) string { return calledNow(c, r) })
}

// readIDs reads the file of --ids: names of the configuration, and IDs.
func readIDs(l *session.Session, file string) ([]engine.Identified, error) {
	text, err := session.ReadSource(file)
	if err != nil {
		return nil, err
	}
	lines, err := importer.ParseIDs(text)
	if err != nil {
		return nil, &cli.Problem{
			Summary: "cannot read the IDs", File: file, Err: err,
			Suggestion: "write on each line a name in the configuration and an ID, such as: ec2/web i-0abcdef1234567890",
		}
	}
	all := make([]engine.Identified, len(lines))
	for i, x := range lines {
		if all[i].Ref, err = desired(l.Intents, x.Name); err != nil {
			return nil, &cli.Problem{
				Summary: err.Error(), File: fmt.Sprintf("%s:%d", file, x.Line),
				Suggestion: "each name must be in the configuration",
			}
		}
		all[i].ID = x.ID
	}
	return all, nil
}

// calledNow is what users call a resource, and the system that manages it now.
func calledNow(c *command.Call, o *resource.Observed) string {
	name := importer.Called(command.Schemas(c.Process), o)
	if o.OwnedBy != "" {
		name += ", managed by " + o.OwnedBy
	}
	return name
}

// adoptMatching adopts what matches patterns and is called by a name of the configuration. What matches and is not
// adopted is listed with the reason.
func adoptMatching(c *command.Call, l *session.Session, o adoptOptions) error {
	matcher, err := command.Matcher(o.match)
	if err != nil {
		return err
	}
	schemas := command.Schemas(c.Process)
	all, unread, err := l.Engine.Called(c, l.Intents, o.force, func(r *resource.Observed) string {
		if name := importer.Called(schemas, r); matcher.Match(r, name) {
			return name
		}
		return ""
	})
	if err != nil {
		return err
	}
	var found []resource.Observed
	for _, n := range all {
		if n.Refused == nil {
			found = append(found, n.Observed)
			continue
		}
		c.Out.Warn("not adopted: "+n.Ref.Kind+" "+n.ID+": "+n.Refused.Error(), resource.Suggestion(n.Refused))
	}
	for _, kind := range command.SortedKeys(unread) {
		c.Out.Warn("not adopted: all of "+kind+": "+unread[kind].Error(), "")
	}
	return adoptAll(c, l, o, found, "CALLED", func(r *resource.Observed) string { return calledNow(c, r) })
}

// absentClusters are the clusters that the tables among the sources declare to be absent.
func absentClusters(c *command.Call, l *session.Session) (out []resource.Ref, err error) {
	for _, in := range l.Intents {
		if !session.IsKind(in.Source, session.Table) {
			continue
		}
		rows, err := session.ClusterTable(c, in.Source, c.Checks()).Rows(c)
		if err != nil {
			return nil, err
		}
		for _, scope := range in.Scopes {
			for _, row := range rows {
				if ref := session.ClusterRef(row.Name).In(in.Stack); row.Desired == sqlite.Absent &&
					scope.Provider == command.ClusterProvider {
					ref.Location = scope.Location
					out = append(out, ref)
				}
			}
		}
	}
	return out, nil
}

// adoptAll lists resources with a note on each, and adopts them on a typed yes, or at once with --auto-approve.
func adoptAll(c *command.Call, l *session.Session, o adoptOptions, all []resource.Observed, note string,
	of func(*resource.Observed) string,
) error {
	asks := !o.autoApprove
	if c.Out.Machine() && asks {
		return cli.Usage("run it in a terminal, or add --ids FILE --auto-approve", "this needs confirmation")
	}
	refs := make([]resource.Ref, len(all))
	for i := range all {
		refs[i] = all[i].Ref
	}
	short := command.NamesOfRefs(refs...).Shorten(refs...)
	t := render.Table{Head: []string{"RESOURCE", "ID", "HEALTH", note}, Flexible: 3}
	for i := range all {
		t.Rows = append(t.Rows, []string{short(all[i].Ref), all[i].ID, string(all[i].Health), of(&all[i])})
	}
	if !c.Out.Machine() {
		if err := c.Out.Table(t, "No resources to adopt."); err != nil {
			return err
		}
	}
	if len(all) == 0 {
		return nil
	}
	if asks {
		next := "run it in a terminal, adopt one by one with --id, or add --ids FILE --auto-approve"
		if err := c.Out.CanAsk(c.Stdin, next); err != nil {
			return err
		}
		if err := c.Out.Ask(c, c.Stdin, fmt.Sprintf("Adopt %s into stack %s?\nType yes to continue: ",
			render.Many(len(all), "resource"), stackNames(l.Intents))); err != nil {
			return err
		}
	}
	act, err := session.SignedAct(c)
	if err != nil {
		return err
	}
	n, err := l.Engine.AdoptAll(c, l.Intents, all, act, o.force)
	if c.Out.Machine() {
		return errors.Join(err, adoptedRecords(c, l, all[:n]))
	}
	c.Out.Say("Adopted %s. Run `ovi plan` to compare with the configuration.", render.Many(n, "resource"))
	return err
}

// adoptedRecords writes a record for each adopted resource.
func adoptedRecords(c *command.Call, l *session.Session, all []resource.Observed) error {
	scans, err := l.Ledger.Scans(c, storage.Now)
	if err != nil {
		return err
	}
	names := session.NamesIn(scans)
	for _, o := range all {
		o.Bind(resource.Proven, o.Ref.Stack, o.Ref.Name)
		if err := c.Out.Records(command.Seen{Observed: o, At: c.Now()}.Record(names)); err != nil {
			return err
		}
	}
	return nil
}

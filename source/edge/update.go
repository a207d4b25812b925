package edge

import (
	"slices"
	"strconv"
	"strings"

	"github.com/ovi-project/ovi/resource/rules"
	"github.com/ovi-project/ovi/source"
)

// policy is how new versions of deployments reach their nodes: of one, or of all that do not say it.
type policy struct {
	attempts rules.Attempts // zero: not set
	rollback *bool          // nil means not set
	update   *rules.Update
}

// readPolicy reads a key of a policy; false if it is another key.
func (l *loader) readPolicy(p *policy, d *document, key, value *source.Node, ref string) bool {
	switch key.Text {
	case "attempts":
		p.attempts = l.readAttempts(d, value, ref)
	case "rollback":
		on, known := map[string]bool{"true": true, "on": true, "false": false, "off": false}[value.Text]
		if !known {
			l.wrong(d, value, ref, "rollback is "+value.Form(), "use on or off")
		}
		p.rollback = &on
	case "update":
		p.update = l.readUpdate(d, value, ref)
	default:
		return false
	}
	return true
}

// readAttempts reads how many attempts may fail: a number, or numbers by the cause of the failures.
func (l *loader) readAttempts(d *document, n *source.Node, ref string) rules.Attempts {
	a := rules.Attempts{Count: attempts, Configuration: 1}
	number := func(n *source.Node, what string) int {
		v, err := strconv.Atoi(n.Text)
		if n.Shape != source.Scalar || err != nil || v < 1 {
			l.wrong(d, n, ref, what+" is "+n.Form(), "use a number from 1, or {count: 3, configuration: 1, other: 20}")
		}
		return v
	}
	if n.Shape != source.Object {
		a.Count = number(n, "attempts")
		return a
	}
	for i := 0; i+1 < len(n.Kids); i += 2 {
		key, value := &n.Kids[i], &n.Kids[i+1]
		switch key.Text {
		case "count":
			a.Count = number(value, key.Text)
		case "configuration":
			a.Configuration = number(value, key.Text)
		case "other":
			a.Other = number(value, key.Text)
		default:
			l.wrong(d, key, ref, "unknown key "+source.Quote(key.Text)+" of attempts",
				source.Suggest(key.Text, names(attemptsTable())))
		}
	}
	return a
}

// readUpdate reads how many nodes change at a time.
func (l *loader) readUpdate(d *document, n *source.Node, ref string) *rules.Update {
	u := &rules.Update{}
	if n.Shape != source.Object {
		l.wrong(d, n, ref, "update is "+n.Form(), "use a block: {waves: [1, 25%]}")
		return u
	}
	for i := 0; i+1 < len(n.Kids); i += 2 {
		key, value := &n.Kids[i], &n.Kids[i+1]
		switch key.Text {
		case "waves":
			l.readWaves(d, value, ref, u)
		case "max_unavailable":
			u.MaxUnavailable = l.readBudget(d, value, ref, key.Text)
		case "max_failed":
			u.MaxFailed = l.readBudget(d, value, ref, key.Text)
		case "windows":
			u.Windows = l.readWindows(d, value, ref)
		case "lock":
			if u.Lock = value.Text; value.Shape != source.Scalar || value.Text == "" {
				l.wrong(d, value, ref, "lock is "+value.Form(), "say why: {lock: inventory until Friday}")
			}
		case "promote":
			if u.Promote = value.Text == "central"; !u.Promote {
				l.wrong(d, value, ref, "promote is "+value.Form(), "use central, or remove it")
			}
		default:
			l.wrong(d, key, ref, "unknown key "+source.Quote(key.Text)+" of update",
				source.Suggest(key.Text, names(updateTable())))
		}
	}
	return u
}

// readWaves reads how many nodes have a new version at most, wave by wave.
func (l *loader) readWaves(d *document, n *source.Node, ref string, u *rules.Update) {
	if n.Shape != source.List || len(n.Kids) == 0 {
		l.wrong(d, n, ref, "waves is "+n.Form(), "use a list of numbers or shares: [1, 25%]")
		return
	}
	for i := range n.Kids {
		b := l.readBudget(d, &n.Kids[i], ref, "a wave")
		if b.Set && b.Count == 0 {
			l.wrong(d, &n.Kids[i], ref, "a wave of no nodes", "use a number from 1, or a share from 1%")
		}
		if last := len(u.Waves) - 1; last >= 0 && u.Waves[last].Percent == b.Percent && b.Count <= u.Waves[last].Count {
			l.wrong(d, &n.Kids[i], ref, "a wave that is not larger than the one before",
				"give the total number of nodes that have the version after each wave: [1, 5, 50%]")
		}
		u.Waves = append(u.Waves, b)
	}
}

func (l *loader) readBudget(d *document, n *source.Node, ref, what string) rules.Budget {
	b, err := rules.ParseBudget(n.Text)
	if n.Shape != source.Scalar || err != nil {
		l.wrong(d, n, ref, what+" is "+n.Form(), "use a number of nodes, such as 2, or a share, such as 10%")
	}
	return b
}

// limit adds the policy of each deployment to the rules of the site.
func (l *loader) limit() {
	for _, d := range l.waits {
		u := rules.Update{}
		for _, p := range []*policy{&d.policy, &l.policy} {
			if p.update != nil {
				u = *p.update
				break
			}
		}
		u.Kind, u.Name, u.Attempts = l.opts.Kind, d.id, d.policy.attempts
		for _, p := range []*policy{&l.policy, &d.policy} {
			if p.rollback != nil {
				u.Rollback = *p.rollback
			}
		}
		if u.Staged() || u.Rollback || u.Lock != "" || len(u.Windows) > 0 || u.Attempts != (rules.Attempts{}) {
			l.draft.Rules.Updates = append(l.draft.Rules.Updates, u)
		}
	}
	if l.policy.update != nil {
		for _, w := range l.policy.update.Windows { // what is not configured any more has no update
			w.Actions, w.Kinds = []string{"delete"}, []string{l.opts.Kind}
			l.draft.Rules.Windows = append(l.draft.Rules.Windows, w)
		}
	}
	slices.SortFunc(l.draft.Rules.Updates, func(a, b rules.Update) int { return strings.Compare(a.Name, b.Name) })
	if l.draft.Rules.Attempts = l.policy.attempts; l.policy.attempts == (rules.Attempts{}) {
		l.draft.Rules.Attempts = rules.Attempts{Count: attempts, Configuration: 1}
	}
}

package language

import (
	"regexp"
	"strings"

	"github.com/ovi-project/ovi/source"
)

// Pin writes the location and the account of the environment into a document, before anything is read that depends on
// them: options in the document are of the account then, and not of the whole stack. It returns the account, for
// locations of blocks. Without an environment nothing changes.
func Pin(l *Language, root *source.Node, rule func(provider string) source.LocationRule) string {
	provider := root.Get("provider")
	if l.chosen == nil || provider == nil || provider.Shape != source.Scalar {
		return ""
	}
	location := locationIn(l, root)
	account := AccountFor(l, provider.Text, rule(provider.Text))
	if account != "" && location != nil && location.Shape == source.Scalar && !location.IsNull() &&
		!strings.Contains(location.Text, "/") {
		location.Text = account + "/" + location.Text
	}
	return account
}

// locationIn returns the location of a document: the one of the environment, or its own.
func locationIn(l *Language, root *source.Node) *source.Node {
	var own *source.Node
	for _, word := range l.opts.LocationWords {
		if n := root.Get(word); n != nil && own == nil {
			own = n
		}
	}
	if l.chosen.Location == "" {
		return own
	}
	given := source.Node{Line: root.Line, Column: root.Column, Type: source.String, Text: l.chosen.Location}
	if own != nil {
		given.Line, given.Column = own.Line, own.Column
		*own = given
		return own
	}
	key := source.Node{Line: root.Line, Column: root.Column, Type: source.String, Text: "location"}
	root.Kids = append(root.Kids, key, given)
	return &root.Kids[len(root.Kids)-1]
}

// AccountFor returns the account of the environment if locations of a provider are in accounts; "" if not.
func AccountFor(l *Language, provider string, rule source.LocationRule) string {
	if l == nil || l.chosen == nil || l.chosen.Account == "" || rule.Group.Pattern == "" {
		return ""
	}
	e := l.chosen
	if fits, err := regexp.MatchString(`^(?:`+rule.Group.Pattern+`)$`, e.Account); err == nil && fits {
		return e.Account
	}
	if !e.refused {
		e.refused = true
		l.wrong(e.File, e.accountAt, "", "invalid "+rule.Group.Word+" "+source.Quote(e.Account)+" for provider "+provider,
			"write it as in the "+rule.Word+" "+rule.Group.Example+", without the part after the slash")
	}
	return ""
}

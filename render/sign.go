package render

import "github.com/ovi-project/ovi/decider"

// The signs of a plan, beside those of actions.
const (
	conflictSign = "!"
	blockedSign  = "×"
	replaceSign  = "-/+"
)

// signOf is the sign of a decision without color.
func signOf(d decider.Decision) string {
	switch rankOf(&d) {
	case isConflict, notShown:
		return conflictSign
	case isBlocked:
		return blockedSign
	case isKept:
		return "#"
	}
	return actionSign(d.Action)
}

// actionSign is the sign of an action: a restart is an update.
func actionSign(a decider.Action) string {
	switch a {
	case decider.Create:
		return "+"
	case decider.Update, decider.Restart, decider.Revert:
		return "~"
	case decider.Replace:
		return replaceSign
	case decider.Delete:
		return "-"
	case decider.Notify:
	}
	return conflictSign
}

// paintOf is the color of a sign.
func paintOf(sign string) paint {
	switch sign {
	case "+":
		return green
	case "~", blockedSign:
		return yellow
	case "-", conflictSign:
		return red
	}
	return ""
}

// colored is a sign in its color: of a replacement, the deletion red and the creation green.
func (s Style) colored(sign string) string {
	if sign == "#" {
		return s.in(dim, sign)
	}
	if sign == replaceSign {
		return s.in(red, "-") + "/" + s.in(green, "+")
	}
	return s.in(paintOf(sign), sign)
}

// sign is the sign of a decision in its color.
func (s Style) sign(d decider.Decision) string { return s.colored(signOf(d)) }

// Alert is the sign of what needs an operator, in its color.
func (s Style) Alert() string { return s.colored(conflictSign) }

package exposed

import (
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/ovi-project/ovi/source/terms"
)

// form is a form of text that nothing but a secret has.
type form struct {
	name    string
	needles string // one of these words is in each text of the form
	is      *regexp.Regexp
}

var (
	pemKey    = regexp.MustCompile(`-----BEGIN [A-Z0-9 ]*PRIVATE KEY( BLOCK)?-----`)
	ageKey    = regexp.MustCompile(`\bAGE-SECRET-KEY-1[0-9A-Z]{50,}`)
	accessKey = regexp.MustCompile(`\b(AKIA|ASIA)[A-Z0-9]{16}\b`)
	gitHub    = regexp.MustCompile(`\b(gh[pousr]_[A-Za-z0-9]{20,}|github_pat_[A-Za-z0-9_]{22,})`)
	gitLab    = regexp.MustCompile(`\bglpat-[A-Za-z0-9_-]{20,}`)
	slack     = regexp.MustCompile(`\b(xox[abeoprs]|xapp)-[A-Za-z0-9-]{10,}`)
	stripe    = regexp.MustCompile(`\b[sr]k_live_[A-Za-z0-9]{16,}`)
	google    = regexp.MustCompile(`\bAIza[A-Za-z0-9_-]{35}`)
	sendGrid  = regexp.MustCompile(`\bSG\.[A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{32,}`)
	npm       = regexp.MustCompile(`\bnpm_[A-Za-z0-9]{36}`)
	vault     = regexp.MustCompile(`\bhvs\.[A-Za-z0-9_-]{20,}`)
)

// forms are the forms of secrets. Each is too long for the name of something else.
func forms() [11]form {
	return [...]form{
		{"a private key", "PRIVATE", pemKey},
		{"a private key", "AGE-SECRET-KEY-", ageKey},
		{"a cloud access key", "AKIA ASIA", accessKey},
		{"a token of GitHub", "ghp_ gho_ ghu_ ghs_ ghr_ github_pat_", gitHub},
		{"a token of GitLab", "glpat-", gitLab},
		{"a token of Slack", "xox xapp-", slack},
		{"a key of Stripe", "_live_", stripe},
		{"a key of Google", "AIza", google},
		{"a key of SendGrid", "SG.", sendGrid},
		{"a token of npm", "npm_", npm},
		{"a token of Vault", "hvs.", vault},
	}
}

// formOf names the form of secret that a text contains. It returns "" if there is none.
func formOf(text string) string {
	if len(text) < shortestForm {
		return ""
	}
	for _, f := range forms() {
		for needle := range strings.SplitSeq(f.needles, " ") {
			if !strings.Contains(text, needle) {
				continue
			}
			// Documentation has keys that end in EXAMPLE.
			if found := f.is.FindString(text); found != "" && !strings.HasSuffix(found, "EXAMPLE") {
				return f.name
			}
		}
	}
	return ""
}

// shortestForm is the length of the shortest text of a form.
const shortestForm = 15

var (
	// address matches a URL with a user and a password.
	address = regexp.MustCompile(`[a-z][a-z0-9+.-]*://[^\s/:@"']*:([^\s/@"']+)@`)
	// setting, option and jsonPair match a key and its value in a program, on a command line and in JSON.
	setting  = regexp.MustCompile(`(?m)(?:^|[;\s])(?:export\s+)?([A-Z][A-Z0-9_]*)=("[^"\n]*"|'[^'\n]*'|[^\s;&|]*)`)
	option   = regexp.MustCompile(`(?:^|\s)--([a-z][a-z-]*)[= ]("[^"\n]*"|'[^'\n]*'|[^\s;&|]+)`)
	jsonPair = regexp.MustCompile(`"([A-Za-z][A-Za-z0-9_-]*)"\s*:\s*("[^"\n]*")`)
)

// saidIn names the secret that a text assigns to a key, or has in a URL. It returns "" if there is none.
func saidIn(text string) string {
	if strings.Contains(text, "://") {
		for _, found := range address.FindAllStringSubmatch(text, -1) {
			if p := found[1]; len(p) >= 5 && !elsewhere.MatchString(p) && !terms.SecretName(p) {
				return "the password of a URL"
			}
		}
	}
	if !strings.ContainsAny(text, "=:") && !strings.Contains(text, "--") {
		return ""
	}
	for _, a := range [...]*regexp.Regexp{setting, option, jsonPair} {
		for _, found := range a.FindAllStringSubmatch(text, -1) {
			if terms.SecretName(found[1]) && isEvident(found[1], strings.Trim(found[2], `"'`)) {
				return "a value of " + found[1]
			}
		}
	}
	return ""
}

var (
	// elsewhere matches a value that names a secret, or stands for one: a variable, a path, a URL, an ARN.
	elsewhere = regexp.MustCompile("^[$<{(\\[*%@!/.~`]|" +
		`^(?:arn|projects|alias|file|env|vault|ssm|secretsmanager|ref|op)[:/]|://|` +
		`(?i)^(?:x+|change[-_]?me|placeholder|redacted|example|dummy|todo|n/?a|sha(?:1|256|512)[:-].*)$`)
	// number matches numbers, dates, versions and durations.
	number = regexp.MustCompile(`^v?[0-9]+(?:[-:./_][0-9TZ:.-]+)*(?:ms|[smhdwy]|[KMGT]i?B?|%)?$`)
	// word matches one word of a name, in any case, with a short number behind it.
	word = regexp.MustCompile(`^(?:[A-Za-z]+[0-9]{0,2}|[0-9]{1,4}|v[0-9]+)$`)
	// id matches what systems generate to name a thing: an UUID.
	id = regexp.MustCompile(`^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$`)
)

// isEvident reports whether the value of a key with the name of a secret is the secret itself, and not a setting of it
// or the name under which it is kept elsewhere. In doubt it is not: a warning that is wrong hides those that are right.
func isEvident(key, value string) bool {
	switch {
	case len(value) < 5, strings.ContainsAny(value, " \t\n"), elsewhere.MatchString(value), number.MatchString(value),
		id.MatchString(value):
		return false
	}
	words := strings.FieldsFunc(value, func(r rune) bool { return strings.ContainsRune("-_./:", r) })
	named := func(w string) bool { return word.MatchString(w) }
	digits := strings.ContainsAny(value, "0123456789")
	switch {
	case len(words) > 1 && (!slices.ContainsFunc(words, func(w string) bool { return !named(w) }) ||
		slices.ContainsFunc(words, terms.SecretName)):
		return false // shop/db-password, payments-team, OrdersSecret-a1B2c3: the name of one
	case len(words) < 2 && !strings.ContainsFunc(value, func(r rune) bool { return !unicode.IsLetter(r) }):
		return false // vault, required
	case terms.IsPassword(key):
		return true
	}
	isKey := strings.HasSuffix(strings.ToLower(key), "key")
	return digits && len(value) >= shortestToken && (isKey || !named(value)) // a token web12 is a name
}

// shortestToken is the length from which the value of a token or a key is taken for the secret itself.
const shortestToken = 6

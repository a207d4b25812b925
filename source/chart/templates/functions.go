package templates

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"text/template"

	"github.com/Masterminds/sprig/v3"
	"go.yaml.in/yaml/v3"

	"github.com/ovi-project/ovi/source/chart/page"
)

// refused are the functions of sprig that do not give the same text each time: they read the
// environment, the clock, the time zone of the host or the network, or draw at random.
func refused() []string {
	return []string{
		"env", "expandenv",
		"ago", "date", "date_in_zone", "dateInZone", "date_modify", "dateModify", "must_date_modify", "mustDateModify",
		"durationRound", "htmlDate", "htmlDateInZone", "now", "toDate", "mustToDate",
		"randAlpha", "randAlphaNum", "randAscii", "randBytes", "randInt", "randNumeric", "shuffle", "uuidv4",
		"bcrypt", "htpasswd", "encryptAES", "genPrivateKey", "genCA", "genCAWithKey",
		"genSelfSignedCert", "genSelfSignedCertWithKey", "genSignedCert", "genSignedCertWithKey",
		"getHostByName",
	}
}

// functions are what templates can call besides include: sprig's functions without the refused
// ones, with keys and values in a fixed order, and those that users of Helm expect.
func functions(c *counting) template.FuncMap {
	out := template.FuncMap(sprig.TxtFuncMap())
	for _, name := range refused() {
		delete(out, name)
	}
	out["keys"], out["values"] = keys, values
	out["repeat"] = repeat
	out["until"] = c.until(out["until"].(func(int) []int))
	out["untilStep"] = c.untilStep(out["untilStep"].(func(int, int, int) []int))
	out["seq"] = c.seq(out["seq"].(func(...int) string))
	out["indent"], out["nindent"] = indent, func(n int, s string) (string, error) {
		s, err := indent(n, s)
		return "\n" + s, err
	}
	out["print"], out["printf"], out["println"] = fmt.Sprint, fmt.Sprintf, fmt.Sprintln
	out["html"], out["js"], out["urlquery"] = template.HTMLEscaper, template.JSEscaper, template.URLQueryEscaper
	out["toYaml"], out["fromYaml"], out["required"] = toYAML, fromYAML, required
	return out
}

// keys lists the keys of maps, sorted: sprig's are in another order each time.
func keys(dicts ...map[string]any) []string {
	out := []string{}
	for _, d := range dicts {
		out = append(out, slices.Sorted(maps.Keys(d))...)
	}
	return out
}

// values lists the values of a map, by sorted keys.
func values(dict map[string]any) []any {
	out := []any{}
	for _, k := range slices.Sorted(maps.Keys(dict)) {
		out = append(out, dict[k])
	}
	return out
}

// maxRepeat bounds what a single call can make.
const maxRepeat = 1 << 20

func repeat(n int, s string) (string, error) {
	if n < 0 || n > 0 && len(s) > maxRepeat/n {
		return "", fmt.Errorf("cannot repeat it %d times", n)
	}
	return strings.Repeat(s, n), nil
}

// counting bounds what sprig's counting functions make in one template, so that loops end.
type counting struct{ left float64 }

// most is how far the loops of one template can count together.
const most = 1 << 20

func (c *counting) allow(start, stop, step int) error {
	if step == 0 {
		return nil
	}
	if c.left -= max((float64(stop)-float64(start))/float64(step), 0); c.left < 0 {
		return fmt.Errorf("cannot count from %d to %d by %d: it is too much for one template", start, stop, step)
	}
	return nil
}

func (c *counting) until(count func(int) []int) any {
	return func(n int) ([]int, error) {
		if err := c.allow(0, n, cmp.Compare(n, 0)); err != nil {
			return nil, err
		}
		return count(n), nil
	}
}

func (c *counting) untilStep(count func(start, stop, step int) []int) any {
	return func(start, stop, step int) ([]int, error) {
		if err := c.allow(start, stop, step); err != nil {
			return nil, err
		}
		return count(start, stop, step), nil
	}
}

func (c *counting) seq(count func(...int) string) any {
	return func(params ...int) (string, error) {
		if len(params) > 0 {
			first, last, step := 0, params[len(params)-1], 1
			if len(params) > 1 {
				first = params[0]
			}
			if len(params) > 2 {
				step = params[1]
			} else if last < first {
				step = -1
			}
			if err := c.allow(first, last, step); err != nil {
				return "", err
			}
		}
		return count(params...), nil
	}
}

func indent(n int, s string) (string, error) {
	pad, err := repeat(n, " ")
	if err != nil || strings.Count(s, "\n")*n > page.MaxRendered {
		return "", fmt.Errorf("cannot indent by %d", n)
	}
	return pad + strings.ReplaceAll(s, "\n", "\n"+pad), nil
}

func toYAML(v any) (string, error) {
	var b strings.Builder
	e := yaml.NewEncoder(&b)
	e.SetIndent(2)
	if err := e.Encode(v); err != nil {
		return "", err
	}
	return strings.TrimSuffix(b.String(), "\n"), e.Close()
}

func fromYAML(s string) (out map[string]any, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("yaml: %v", r)
		}
	}()
	return out, yaml.Unmarshal([]byte(s), &out)
}

func required(message string, v any) (any, error) {
	if s, isText := v.(string); v == nil || isText && s == "" {
		return nil, fmt.Errorf("%s", message)
	}
	return v, nil
}

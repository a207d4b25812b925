package chart_test

import (
	"strings"
	"testing"

	"github.com/ovi-project/ovi/source"
	"github.com/ovi-project/ovi/source/chart"
)

// TestNoMessageShowsASecret: wherever a value of a --values file or of a secret's data is written by
// mistake, the message about it does not show it.
func TestNoMessageShowsASecret(t *testing.T) {
	t.Parallel()
	const values = `-- Chart.yaml --
name: c
version: 0.1.0
-- values.yaml --
public: nginx-public
-- secret.yaml --
pw: hunter2-plain
b64: aHVudGVyMi1wbGFpbg==
multi: "hunter2-plain\nkey: [hunter2-plain"
deep: {list: [hunter2-plain, {x: hunter2-plain}]}
num: 73526473526
long: hunter2-plain-hunter2-plain-hunter2-plain-hunter2-plain-hunter2-plain-hunter2-plain
same: nginx-public
-- templates/a.yaml --
apiVersion: cutepod/v1alpha0
`
	secret, web := "kind: CuteSecret\nmetadata: {name: s}\nspec:\n  ",
		"kind: CuteContainer\nmetadata: {name: w}\nspec:\n  image: x:1\n  "
	for _, c := range []string{
		secret + "data: {k: {{ .Values.pw }}}", secret + "data: {k: {{ .Values.b64 }}x}", secret + "data: {{ .Values.b64 }}",
		secret + "data: {k: aHVudGVyMi1wbGFpbg=}", secret + "stringData: hunter2-plain",
		secret + "stringData: {k: [hunter2-plain]}",
		secret + "stringData: {{ .Values.pw }}", secret + "stringData: {{ .Values.deep }}",
		secret + "stringData: {k: {{ .Values.multi }}}",
		secret + "data: {{ toYaml .Values.deep }}", secret + "data: {{ .Values.pw | b64enc }}",
		secret + "data: {k: {{ .Values.pw | atoi | fail }}}",
		secret + "data: {k: {{ .Values.pw.x }}}", secret + "data: {k: {{ index .Values.deep .Values.pw }}}",
		secret + "data: {k: {{ fromYaml .Values.multi }}}",
		secret + "data: {k: {{ b64dec .Values.pw }}}", secret + "data: {k: {{ .Values.num }}}",
		secret + "type: {{ .Values.pw }}\n  data: {k: YQ==}",
		secret + "type: {{ .Values.long }}\n  data: {k: YQ==}", secret + "{{ .Values.pw }}: x\n  data: {k: YQ==}",
		secret + "data: {\"bad key {{ .Values.pw }}\": YQ==}",
		"kind: {{ .Values.pw }}\nmetadata: {name: s}",
		"kind: CuteSecret\nmetadata: {name: {{ .Values.pw }}!}\nspec: {data: {k: YQ==}}",
		web + "env: {P: {{ .Values.deep }}}", web + "uid: {{ .Values.pw }}", web + "uid: {{ .Values.num }}",
		web + "networks: [{{ .Values.pw }}]",
	} {
		fsys := files(values + c + "\n")
		opts := options(fsys)
		opts.Values = []string{"c/secret.yaml"}
		_, problems := problemsIn(t, opts)
		if len(problems) == 0 {
			t.Errorf("no problem with\n%s", c)
		}
		for _, p := range problems {
			for _, never := range []string{"hunter2", "aHVudGVy", "73526473526"} {
				if strings.Contains(p.String(), never) {
					t.Errorf("with\n%s\nthe message shows it: %s", c, p)
				}
			}
		}
	}
	// What the chart itself holds is no secret, and is shown.
	opts := options(files(values + web + "uid: {{ .Values.same }}\n"))
	opts.Values = []string{"c/secret.yaml"}
	if _, problems := problemsIn(t, opts); len(problems) != 1 || !strings.Contains(problems[0].Summary, "nginx-public") {
		t.Errorf("a public value: %v", problems)
	}
}

// problemsIn loads the chart c.
func problemsIn(t *testing.T, opts chart.Options) ([]*source.Draft, source.Problems) {
	t.Helper()
	drafts, err := chart.New([]string{"c"}, opts).Load(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	_, problems := source.ResolveValid(drafts)
	return drafts, problems
}

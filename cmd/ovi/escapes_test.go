package main

import (
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/ovi-project/ovi/internal/gitclone/gittest"
	"github.com/ovi-project/ovi/source/sqlite/sqlitetest"
)

// evil sets the title of a terminal, clears it, overwrites a line and turns the direction of writing: as bytes,
// and as the eight-bit form of a control code.
const evil = "x\x1b]0;evil\x07\x1b[2J\x1b[1A\rfake\u009b31m\u202edne"

// raw is evil with the eight-bit form as a single byte, which is no UTF-8.
const raw = evil + "\x9b2J"

// controls are what a text from outside must not bring to a terminal: all but line ends and tabs.
func controls(s string) []rune {
	var out []rune
	for _, r := range s {
		if unicode.IsControl(r) && r != '\n' && r != '\t' || r >= 0x202a && r <= 0x202e || r >= 0x2066 && r <= 0x2069 {
			out = append(out, r)
		}
	}
	return out
}

// hostile runs ovi where everything around it is hostile, and looks at all that it prints.
type hostile struct {
	t   *testing.T
	dir string
	env []string
}

func (h *hostile) says(args ...string) string {
	h.t.Helper()
	cmd := ovi(h.t, h.dir, args...)
	cmd.Env = append(cmd.Env, h.env...)
	out, _ := cmd.CombinedOutput() // many end with an error
	if found := controls(string(out)); len(found) > 0 || !utf8.Valid(out) {
		h.t.Errorf("ovi %q prints %q:\n%q", args, string(found), out)
	}
	return string(out)
}

func (h *hostile) write(name, text string) {
	h.t.Helper()
	if err := os.MkdirAll(filepath.Dir(filepath.Join(h.dir, name)), 0o700); err != nil {
		h.t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(h.dir, name), []byte(text), 0o600); err != nil {
		h.t.Fatal(err)
	}
}

// inQuotes is a text as YAML and JSON have it, in ASCII.
func inQuotes(t *testing.T, s string) string {
	t.Helper()
	b, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	for _, r := range string(b) {
		if r < 0x80 {
			out.WriteRune(r)
		} else {
			fmt.Fprintf(&out, "\\u%04x", r)
		}
	}
	return out.String()
}

// TestNoControlCodeReachesATerminal: what users, files, arguments, the environment and AWS say is printed
// without control codes, by each command and in each form.
func TestNoControlCodeReachesATerminal(t *testing.T) {
	t.Parallel()
	h := &hostile{t: t, dir: t.TempDir(), env: []string{"OVI_USER=" + raw, "OVI_OWNER=team"}}
	word := inQuotes(t, evil)
	h.write("ovi.yaml", `version: v1
stack: one
provider: aws
region: us-east-1
rules:
  rules:
    - {name: careful, when: decision.destroys, effect: deny, message: `+word+`}
    - {name: warned, when: "true", effect: warn, message: `+word+`}
resources:
  - {type: ebs, name: data, size: 20, zone: us-east-1a, tags: {note: `+word+`, `+word+`: b}}
  - {type: s3, name: example-logs, tags: {note: "a b"}}
  - {type: ec2, name: web, size: t3.micro, user_data: `+word+`}
`)
	refused := `OVI_SANDBOX_FAULTS=[{"kind":"refused","action":"RunInstances","code":"InvalidParameterValue","status":400,"message":` + word + `}]`
	forms := []string{"table", "json", "yaml"}
	h.says("plan", "--sandbox", "--out", "saved.plan")
	h.says("show", "saved.plan")
	h.says("apply", "--sandbox", "saved.plan", "--reason", evil, "--auto-approve")
	for _, form := range forms {
		h.env = append(h.env, refused)
		if out := h.says("apply", "--sandbox", "--auto-approve", "--output", form, "--data-dir", "refused-"+form, "--log-level", "trace"); !strings.Contains(out, "InvalidParameterValue") {
			t.Fatalf("nothing was refused:\n%s", out)
		}
		h.env = h.env[:len(h.env)-1]
	}
	h.says("apply", "--sandbox", "--auto-approve")
	h.says("bless", "ebs/data", "--reason", evil)
	h.says("unbless", "ebs/data", "--reason", evil)
	h.says("move", "s3/example-logs", "s3/"+evil)
	h.says("forget", "ec2/web", "--reason", evil)
	h.says("drift", "ack", "s3/example-logs", "--reason", evil, "--until", "1h", "--sandbox")
	for _, form := range forms {
		for _, command := range []string{
			"plan --sandbox", "status", "inventory --sandbox", "show ebs/data", "show s3/example-logs", "why ebs/data", "why --all s3/example-logs", "history ec2/web",
			"diff 1h", "drift --sandbox", "audit log", "validate", "kinds ebs", "signer list", "store status",
		} {
			h.says(append(strings.Fields(command), "--output", form)...)
		}
	}
	for _, command := range []string{"status", "why ec2/web", "history ec2/web", "audit log"} { // of what was refused
		h.says(append(strings.Fields(command), "--data-dir", "refused-table")...)
	}
	for _, args := range [][]string{
		{"plan", evil},
		{"plan", "--" + evil},
		{evil},
		{"why", evil},
		{"show", evil},
		{"show", "ebs/" + evil},
		{"history", evil},
		{"diff", evil},
		{"kinds", evil},
		{"plan", "--sandbox", "--data-dir", evil},
		{"plan", "--store", "etcd://" + evil + "/x"},
		{"approve", evil},
		{"bless", evil, "--reason", evil},
		{"adopt", evil, "--id", evil, "--sandbox"},
		{"plan", "--output", evil},
		{"plan", "--log-level", evil},
		{"plan", "--policy", evil},
		{"audit", "log", "--type", evil},
		{"audit", "log", "--since", evil},
		{"help", evil},
		{"plan", "git+https://" + evil + "//x"},
		{"import", "compose", evil},
		{"edge", "status", "--data-dir", evil},
		{"cluster", "verify", "--from-db", evil},
		{"install", evil},
		{"signer", "add", evil, "--key", evil},
		{"prove", evil},
		{"audit", "witness", evil},
		{"store", "trust", evil},
		{"policy", "require", evil},
		{"retry", evil},
		{"move", evil, evil},
	} {
		for i := range args {
			args[i] = strings.ReplaceAll(args[i], evil, raw)
		}
		h.says(args...)
	}
	for _, args := range [][]string{{"plan", "--sandbox"}, {"audit", "log"}, {"audit", "log", "--output", "yaml"}, {"why", "ebs/data"}} {
		if out := h.says(args...); !strings.Contains(out, "evil") {
			t.Errorf("ovi %q prints nothing of it:\n%s", args, out)
		}
	}
}

// TestNoControlCodeOfAFileReachesATerminal: what is wrong with a file is said without its control codes.
func TestNoControlCodeOfAFileReachesATerminal(t *testing.T) {
	t.Parallel()
	h := &hostile{t: t, dir: t.TempDir()}
	word := inQuotes(t, evil)
	head := "version: v1\nstack: one\nprovider: aws\nregion: us-east-1\n"
	for i, text := range []string{
		evil, "version: " + word, head + word + ": 1\nresources: []\n", "version: v1\nstack: " + word + "\nprovider: aws\nresources: []\n",
		"version: v1\nprovider: " + word + "\nresources: []\n", "version: v1\nprovider: aws\nregion: " + word + "\nresources: []\n",
		head + "resources:\n  - {type: " + word + "}\n", head + "resources:\n  - {type: s3, name: " + word + "}\n", head + "resources:\n  - {type: s3, " + word + ": 1}\n",
		head + "resources:\n  - {type: ec2, name: a, size: " + word + "}\n", head + "resources:\n  - {type: ec2, name: a, size: t3.micro, subnet: " + word + "}\n",
		head + "resources:\n  - {type: ec2, name: a, size: " + inQuotes(t, "${ec2/"+evil+".id}") + "}\n", head + "resources:\n  - {type: ec2, name: a, size: " + inQuotes(t, "${env:"+evil+"}") + "}\n",
		head + "public: [" + word + "]\nresources: []\n", head + "rules: {rules: [{name: " + word + ", when: " + word + ", effect: " + word + "}]}\nresources: []\n",
		head + "resources:\n  - {type: s3, name: a, tags: {" + inQuotes(t, "ovi:"+evil) + ": b}}\n", head + "resources:\n  - {type: s3, name: a, depends_on: [" + word + "]}\n",
		head + "resources:\n  - {type: s3, name: a, ignore: [" + word + "]}\n", head + "resources:\n  - {type: s3, name: a, state: " + word + "}\n",
	} {
		name := "bad-" + string(rune('a'+i)) + ".yaml"
		h.write(name, text)
		h.says("plan", name, "--sandbox")
		h.says("validate", name, "--json")
	}
	h.write(evil+".yaml", head+"resources:\n  - {type: s3}\n  - {type: nothing}\n")
	h.says("plan", evil+".yaml", "--sandbox")
	h.write("shop/Chart.yaml", "name: shop\nversion: "+word+"\n")
	h.write("shop/templates/a.yaml", "apiVersion: cutepod/v1alpha0\nkind: "+word+"\nmetadata: {name: "+word+"}\n---\napiVersion: cutepod/v1alpha0\nkind: CuteContainer\nmetadata: {name: a, "+word+": b}\nspec: {image: "+word+", "+word+": 1}\n")
	h.says("validate", "shop")
	h.says("install", "shop", "--dry-run")
	h.write("compose.yaml", "name: "+word+"\nservices:\n  "+word+": {image: "+word+", "+word+": 1}\n  web: {image: a, "+word+": 1}\n")
	h.says("import", "compose", "compose.yaml")
	sqlitetest.Exec(t, filepath.Join(h.dir, "clusters.db"), sqlitetest.Schema(), sqlitetest.Shipped(),
		"UPDATE clusters SET name = CAST(x'"+hex.EncodeToString([]byte(raw))+"' AS TEXT) WHERE rowid = 2",
		"UPDATE clusters SET provider = CAST(x'"+hex.EncodeToString([]byte(raw))+"' AS TEXT) WHERE rowid = 3")
	h.says("plan", "clusters.db")
	h.says("validate", "clusters.db")
	repo := gittest.New(t)
	repo.Commit(map[string]string{evil + ".yaml": head + word + ": 1\n", "ovi.yaml": head + word + ": 1\nresources: []\n"})
	repo.Git("-C", repo.Bare, "branch", "we\u200bb\u202edne\u009b31m") // Git itself refuses the other ones
	for _, args := range [][]string{
		{"plan", "--sandbox", repo.URL("")},
		{"plan", "--sandbox", strings.Replace(repo.URL(""), "main", evil, 1)},
		{"plan", "--sandbox", strings.Replace(repo.URL(""), "main", "we\u200bb\u202edne\u009b31m", 1)},
		{"plan", "--sandbox", repo.URL(evil)},
		{"validate", repo.URL(evil + ".yaml")},
	} {
		h.says(args...)
	}
	h.write("site/"+evil+".yaml", "id: "+word+"\n")
	h.says("validate", "site")
	h.write("state.tfstate", `{"version":4,"terraform_version":`+word+`,"resources":[{"mode":"managed","type":`+word+`,"name":`+word+`,"instances":[{"attributes":{"id":`+word+`}}]}]}`)
	h.says("import", "terraform", "state.tfstate")
}

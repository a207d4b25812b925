package main

import (
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
)

// unit reads the settings of the unit, without comments.
func unit(t *testing.T) map[string][]string {
	t.Helper()
	b, err := os.ReadFile("../../tools/packaging/ovi@.service")
	if err != nil {
		t.Fatal(err)
	}
	out := map[string][]string{}
	for line := range strings.Lines(string(b)) {
		if key, value, ok := strings.Cut(strings.TrimSpace(line), "="); ok && !strings.HasPrefix(key, "#") {
			out[key] = append(out[key], value)
		}
	}
	return out
}

// TestTheUnitRuns does by hand what systemd does with the unit: its command, in its
// environment, wakes at a reload and ends well at a stop.
func TestTheUnitRuns(t *testing.T) {
	t.Parallel()
	dir, u := t.TempDir(), unit(t)
	for _, sub := range []string{"etc", "lib", "state", "credentials"} {
		if err := os.Mkdir(filepath.Join(dir, sub), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	writeConfig(t, filepath.Join(dir, "etc"), fleet(2))
	if err := os.WriteFile(filepath.Join(dir, "credentials", "store-password"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	locations := strings.NewReplacer("/etc/ovi/%i", filepath.Join(dir, "etc"), "/var/lib/ovi/%i", filepath.Join(dir, "lib"), "/var/lib/ovi-state/%i", filepath.Join(dir, "state"), "%d", filepath.Join(dir, "credentials"))
	vars := map[string]string{}
	for _, e := range u["Environment"] {
		name, value, _ := strings.Cut(locations.Replace(e), "=")
		vars[name] = value
	}
	// What /etc/ovi/TEAM/environment says wins.
	vars["OVI_LISTEN"], vars["OVI_RUN_OPTIONS"] = "127.0.0.1:0", "--sandbox --auto-approve --interval 10m"
	var args []string
	for _, word := range strings.Fields(u["ExecStart"][0])[1:] {
		switch {
		case strings.HasPrefix(word, "${"): // one word
			args = append(args, vars[strings.Trim(word, "${}")])
		case strings.HasPrefix(word, "$"): // none or several
			args = append(args, strings.Fields(vars[word[1:]])...)
		default:
			args = append(args, locations.Replace(word))
		}
	}
	i := &instance{name: "the unit", cmd: ovi(t, filepath.Join(dir, "etc"), args...)}
	for name, value := range vars {
		i.cmd.Env = append(i.cmd.Env, name+"="+value)
	}
	i.cmd.Env = append(i.cmd.Env, "OVI_LOG_KEY_FILE=") // the unit's own key
	i.cmd.Stdout, i.cmd.Stderr = i, i
	if err := i.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = i.cmd.Process.Kill() }() // if it has not ended
	address := i.address(t)
	eventually(t, "it is ready", func() bool { return getStatus(address) == http.StatusOK })
	for _, x := range []struct{ setting, want string }{
		{"ExecReload", "/bin/kill -HUP $MAINPID"}, {"KillSignal", "SIGTERM"}, {"StateDirectory", "ovi/%i ovi-state/%i"}, {"WorkingDirectory", "/etc/ovi/%i"},
	} {
		if !slices.Equal(u[x.setting], []string{x.want}) {
			t.Errorf("%s=%q, want %q", x.setting, u[x.setting], x.want)
		}
	}
	// A reload before the loop runs has nothing to wake.
	eventually(t, "the first cycle", func() bool { return strings.Contains(i.said(), "(start") })
	if err := i.cmd.Process.Signal(syscall.SIGHUP); err != nil {
		t.Fatal(err)
	}
	eventually(t, "woken by a reload", func() bool { return strings.Contains(i.said(), "(SIGHUP") })
	if err := i.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if err := i.cmd.Wait(); err != nil {
		t.Errorf("stopped: %v\n%s", err, i.said())
	}
	again := ovi(t, filepath.Join(dir, "etc"), "plan", "--sandbox", "ovi.yaml")
	again.Env = i.cmd.Env // it restarts, or a newer version starts
	if out, err := again.CombinedOutput(); err != nil {
		t.Errorf("restarted: %v\n%s", err, out)
	}
	if _, err := os.Stat(filepath.Join(dir, "state", "ovi", "trust", "log.key")); err != nil {
		t.Error(err)
	}
}

func getStatus(address string) int {
	r, err := http.Get("http://" + address + "/readyz") //nolint:noctx // a test's own process
	if err != nil {
		return 0
	}
	defer r.Body.Close()
	_, _ = io.Copy(io.Discard, r.Body)
	return r.StatusCode
}

var ourVariable = regexp.MustCompile(`\bOVI_[A-Z_]+`)

// TestPackagingNamesWhatThereIs: variables, options and paths that the unit, the image and the
// documentation name are the program's, and the same everywhere.
func TestPackagingNamesWhatThereIs(t *testing.T) {
	t.Parallel()
	read := func(name string) string {
		b, err := os.ReadFile(filepath.Join("../..", name))
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	service, image, page := read("tools/packaging/ovi@.service"), read("tools/packaging/Containerfile"), read("docs/operations.md")
	help := must(t, t.TempDir(), "run", "--help")
	for _, text := range []string{service, image, section(page, "## As a service")} {
		for _, option := range regexp.MustCompile(`ovi run[^\n]*`).FindAllString(text, -1) {
			for _, word := range strings.Fields(option) {
				if name, ok := strings.CutPrefix(word, "--"); ok && !strings.Contains(help, "--"+strings.Trim(name, "`.,")) {
					t.Errorf("%q: there is no --%s", option, name)
				}
			}
		}
		for _, name := range ourVariable.FindAllString(text, -1) {
			if !strings.Contains(programs(t), `"`+name+`"`) && !strings.Contains(service, "$"+name) && !strings.Contains(service, "${"+name+"}") {
				t.Errorf("nothing reads %s", name)
			}
		}
	}
	const binary = "/usr/bin/ovi"
	for text, want := range map[string]string{unit(t)["ExecStart"][0]: binary + " run", image: `ENTRYPOINT ["` + binary + `"]`, section(page, "## As a service"): "ovi " + binary} {
		if !strings.Contains(text, want) {
			t.Errorf("no %s in:\n%s", want, text)
		}
	}
	for _, path := range []string{"/etc/ovi/", "store-password", "environment", "OVI_LISTEN", "tools/packaging/ovi@.service", "tools/packaging/Containerfile", "65532"} {
		if !strings.Contains(section(page, "## As a service"), path) {
			t.Errorf("docs/operations.md does not say %s", path)
		}
	}
}

// TestTheImageNamesNoUser: all who run the image would be one user on record.
func TestTheImageNamesNoUser(t *testing.T) {
	t.Parallel()
	b, err := os.ReadFile("../../tools/packaging/Containerfile")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(b)) {
		if !strings.HasPrefix(line, "#") && strings.Contains(line, "OVI_USER") {
			t.Errorf("it sets the user: %s", line)
		}
	}
}

// section is a page from a heading to the next one.
func section(page, heading string) string {
	_, rest, _ := strings.Cut(page, heading+"\n")
	text, _, _ := strings.Cut(rest, "\n## ")
	return text
}

// programs is the source of the command line, without tests.
func programs(t *testing.T) string {
	t.Helper()
	var files []string
	for _, pattern := range []string{"../*/*.go"} {
		found, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, found...)
	}
	var all strings.Builder
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		b, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		all.Write(b)
	}
	return all.String()
}

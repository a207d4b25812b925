package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestExamplesInDocsPlan plans every whole file of docs/configuration.md, with the components that the page shows. What
// refers to resources or outputs of other stacks is only validated.
func TestExamplesInDocsPlan(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../../docs/configuration.md")
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]string{"motd.txt": "hello\n"}
	var whole []string
	for _, example := range strings.Split(string(page), "```yaml\n")[1:] {
		text, _, _ := strings.Cut(example, "```")
		first, _, _ := strings.Cut(text, "\n")
		switch {
		case strings.HasPrefix(first, "# components/"):
			files[strings.TrimPrefix(first, "# ")] = text
		case strings.HasPrefix(first, "version:"):
			whole = append(whole, text)
		}
	}
	if len(whole) < 15 {
		t.Fatalf("only %d examples", len(whole))
	}
	for _, text := range whole {
		dir := t.TempDir()
		files["ovi.yaml"] = text
		for name, content := range files {
			path := filepath.Join(dir, name)
			if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		args := []string{"plan", "--sandbox"}
		if strings.Contains(text, "lookup:") || strings.Contains(text, "${stack/") {
			args = []string{"validate"}
		}
		if strings.Contains(text, "\nenvironments:") {
			args = append(args, "--env", "dev")
		}
		cmd := ovi(t, dir, args...)
		cmd.Env = append(cmd.Env, "DB_PASSWORD=not-a-real-password", "TEAM=platform")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("%v\n%s\n%s", err, text, out)
		}
	}
}

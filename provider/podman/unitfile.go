package podman

import (
	"strings"

	"github.com/ovi-project/ovi/provider"
)

// exports are the forms in which systemd takes a stack.
func exports() []provider.Export {
	return []provider.Export{
		{Format: "quadlet", Doc: "units of Podman's generator, 4.6 or later (5.0 with pods), which create and start the same containers", Files: quadlets},
		{Format: "systemd", Doc: "plain units that start the containers that ovi created, for hosts without the generator", Managed: true, Files: services},
	}
}

// unit is a unit file of systemd.
type unit struct{ b strings.Builder }

func (u *unit) section(name string) {
	if u.b.Len() > 0 {
		u.b.WriteString("\n")
	}
	u.b.WriteString("[" + name + "]\n")
}

// set writes a line whose value is read as it is, except that % and $ are expanded.
func (u *unit) set(key, value string) {
	u.b.WriteString(key + "=" + strings.NewReplacer("%", "%%", "$", "$$", "\n", " ").Replace(value) + "\n")
}

// words writes a line whose value is split into words.
func (u *unit) words(key string, words ...string) {
	for i, w := range words {
		words[i] = unitWord(w)
	}
	u.b.WriteString(key + "=" + strings.Join(words, " ") + "\n")
}

func (u *unit) text() string { return u.b.String() }

// unitWord quotes a word of a unit file.
func unitWord(s string) string {
	plain := s != "" && !strings.ContainsAny(s, " \t\n\r\"'\\;")
	s = strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`, "\r", `\r`, "\t", `\t`, "%", "%%", "$", "$$").Replace(s)
	if plain {
		return s
	}
	return `"` + s + `"`
}

// description is the description of a unit.
func description(kind, name, stack string) string {
	return kind + " " + name + " of stack " + stack
}

// atBoot are the targets of a machine that has started, of the system and of a user.
const atBoot = "multi-user.target default.target"

package cli

import (
	"context"
	"io"
	"os"
	"os/user"
	"strconv"
	"time"

	"github.com/hashicorp/go-hclog"
	"golang.org/x/term"

	"github.com/ovi-project/ovi/provider/held"
	"github.com/ovi-project/ovi/render"
)

// Process is what a program is given from outside. It never changes.
type Process struct {
	Version        string
	Hard           context.Context // ends at the second Ctrl-C
	Env            func(string) (string, bool)
	Held           *held.Secrets // the credentials of the process, which no text shows
	Stdin          io.Reader
	Stdout, Stderr io.Writer
	Answer         *Answer // Stdout, with what became of it
	Now            func() time.Time
	// IsTerminal reports whether a stream is a terminal. Nil asks the operating system.
	IsTerminal func(stream any) bool
}

// OnTerminal reports whether standard error is a terminal.
func (p *Process) OnTerminal() bool {
	if p.IsTerminal != nil {
		return p.IsTerminal(p.Stderr)
	}
	_, is := Columns(p.Stderr)
	return is
}

// Getenv is the value of a variable, or "".
func (p *Process) Getenv(name string) string {
	v, _ := p.Env(name)
	return v
}

// User is who runs this, for the audit log.
func (p *Process) User() string {
	for _, name := range []string{"OVI_USER", "USER", "LOGNAME", "USERNAME"} {
		if v := p.Getenv(name); v != "" {
			return v
		}
	}
	if u, err := user.Current(); err == nil && u.Username != "" {
		return u.Username
	}
	if uid := p.UID(); uid != "" {
		return "uid " + uid
	}
	return "unknown"
}

// UID is the number by which the operating system knows who runs this; "" where it has none. Unlike
// the name it is not theirs to choose.
func (p *Process) UID() string {
	if uid := os.Getuid(); uid >= 0 {
		return strconv.Itoa(uid)
	}
	return ""
}

// Host is the name of this host; "" if it has none.
func (p *Process) Host() string {
	host, _ := os.Hostname()
	return host
}

// Columns is the width of the terminal behind a stream; 0 and false for anything else.
func Columns(stream any) (int, bool) {
	switch s := stream.(type) {
	case *Answer:
		stream = s.W
	case *Screen:
		stream = s.W
	}
	f, ok := stream.(*os.File)
	if !ok || !term.IsTerminal(int(f.Fd())) {
		return 0, false
	}
	width, _, err := term.GetSize(int(f.Fd()))
	if err != nil || width <= 0 {
		width = 80
	}
	return width, true
}

// StyleOf is how a stream is written to: in color on a terminal, unless that is disabled.
func (p *Process) StyleOf(stream any, noColor bool) render.Style {
	width, terminal := Columns(stream)
	dumb := p.Getenv("TERM") == "dumb"
	return render.Style{
		Width: width,
		Color: terminal && !noColor && !dumb && p.Getenv("NO_COLOR") == "",
		Live:  terminal && !dumb,
	}
}

// NewLog is the log on standard error, of warnings and errors unless more is asked for.
func (p *Process) NewLog(level, format string) (hclog.Logger, error) {
	if level == "" {
		level = p.Getenv("OVI_LOG")
	}
	if level == "" {
		level = "warn"
	}
	l := hclog.LevelFromString(level)
	if l == hclog.NoLevel {
		return nil, Usage("use trace, debug, info, warn, error or off", "invalid log level %q", level)
	}
	if format == "" {
		format = p.Getenv("OVI_LOG_FORMAT")
	}
	if format != "" && format != "text" && format != "json" {
		return nil, Usage("use text or json", "invalid log format %q", format)
	}
	return hclog.New(&hclog.LoggerOptions{Name: "ovi", Level: l, Output: logged{p}, JSONFormat: format == "json"}), nil
}

// logged writes log lines without the credentials of the process.
type logged struct{ p *Process }

func (w logged) Write(line []byte) (int, error) {
	if _, err := io.WriteString(w.p.Stderr, w.p.Held.Text(string(line))); err != nil {
		return 0, err
	}
	return len(line), nil
}

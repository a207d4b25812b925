package command

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/ovi-project/ovi/provider"
)

// TestAProgramThatHangsEnds: by its deadline, with its children, and its result is unknown. A program that fails by
// itself refused, and its result is known.
func TestAProgramThatHangsEnds(t *testing.T) {
	t.Parallel()
	sh, err := exec.LookPath("sh")
	if err != nil {
		t.Skip(err)
	}
	pipe := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	hangs := Job{
		Op: "kind create cluster", Path: sh, Args: []string{"-c", "(read x <" + pipe + ") & wait"}, Env: os.Environ(),
		Wait: 200 * time.Millisecond,
	}
	err = hangs.Run(t.Context())
	if provider.CauseOf(err) != provider.UnknownResult || !strings.Contains(err.Error(), "it took longer than 200ms") {
		t.Errorf("it hangs: %s, %v", provider.CauseOf(err), err)
	}
	if w, err := os.OpenFile(pipe, os.O_WRONLY|syscall.O_NONBLOCK, 0); err == nil || !errors.Is(err, syscall.ENXIO) {
		t.Errorf("a child still reads: %v", err)
		_ = w.Close()
	}
	ctx, stop := context.WithCancel(t.Context())
	stop()
	hangs.Wait = time.Hour
	if err := hangs.Run(ctx); provider.CauseOf(err) != provider.UnknownResult && !errors.Is(err, context.Canceled) {
		t.Errorf("it was canceled: %v", err)
	}
	for _, start := range []string{`Stack Trace: `, `goroutine 1 [running]:`, `goroutine 7 gp=0x1 m=0 mp=0x2 [runnable]:`} {
		traced := `i=0; printf 'no such node\n\n` + start + `\n'; while [ $i -lt 50 ]; do echo main.main; i=$((i+1)); done; printf end; exit 2`
		fails := Job{Op: "kind create cluster", Path: sh, Args: []string{"-c", traced}, Wait: time.Minute}
		if err := fails.Run(t.Context()); err == nil || !strings.Contains(err.Error(), "no such node") ||
			strings.Contains(err.Error(), "main.main") || strings.Contains(err.Error(), "end") {
			t.Errorf("it fails with a stack trace: %v", err)
		}
	}
	refuses := Job{Op: "kind create cluster", Path: sh, Args: []string{"-c", "echo no such image; exit 1"}, Wait: time.Minute}
	if err := refuses.Run(t.Context()); provider.CauseOf(err) == provider.UnknownResult ||
		!strings.Contains(err.Error(), "no such image") {
		t.Errorf("it refuses: %s, %v", provider.CauseOf(err), err)
	}
}

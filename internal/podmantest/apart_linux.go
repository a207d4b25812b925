package podmantest

import (
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// marker is in the environment of a test that is apart already.
const marker = "OVI_TEST_APART"

// Apart starts the test binary over in a network of its own, with folders of its own for what
// Podman keeps at fixed places. TestMain calls it first: tests of several packages run at a time,
// and their Podmans would disturb each other's packet filters and DNS. Process, arguments and
// environment stay as they are. It returns in the process that is apart, in a program that tests
// start by another name, and where the kernel refuses, as it refuses Podman itself then.
func Apart() {
	if os.Getenv(marker) != "" || !strings.HasSuffix(os.Args[0], ".test") || os.Geteuid() != 0 {
		return
	}
	// Namespaces belong to a thread, and the one that calls exec is the one that goes on.
	runtime.LockOSThread()
	if unix.Unshare(unix.CLONE_NEWNET|unix.CLONE_NEWNS) != nil {
		runtime.UnlockOSThread()
		return
	}
	err := furnish()
	if err == nil {
		err = startOver()
	}
	fmt.Fprintf(os.Stderr, "error: cannot run the tests in namespaces of their own: %v\n", err)
	os.Exit(1)
}

// furnish makes new namespaces usable.
func furnish() error {
	if err := unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""); err != nil {
		return fmt.Errorf("make mounts private: %w", err)
	}
	// In these folders Podmans of one machine meet, whatever their configuration says: the DNS of
	// their networks, the names of their network namespaces, and the state of runc.
	for _, dir := range []string{"/run/containers", "/run/netns", "/run/runc"} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return err
		}
		if err := unix.Mount("tmpfs", dir, "tmpfs", 0, "mode=755"); err != nil {
			return fmt.Errorf("mount %s: %w", dir, err)
		}
	}
	if out, err := exec.Command("ip", "link", "set", "lo", "up").CombinedOutput(); err != nil {
		return fmt.Errorf("ip link set lo up: %w: %s; run tools/need.sh", err, out)
	}
	return nil
}

func startOver() error {
	path, err := os.Executable()
	if err != nil {
		return err
	}
	return syscall.Exec(path, os.Args, append(os.Environ(), marker+"=1"))
}

//go:build linux

package main

import (
	"os"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/ovi-project/ovi/internal/needs"
	"github.com/ovi-project/ovi/internal/podmantest"
)

// TestMain lets this test binary be the writer.
func TestMain(m *testing.M) {
	if slices.Contains(os.Args, "-child") {
		main()
		return
	}
	// Whoever copies the mounts of the machine meanwhile, as tests of Podman do, keeps a file system
	// mounted whose power is off: the next mount of its image is that one again.
	podmantest.Apart()
	os.Exit(m.Run())
}

// TestPowerCuts cuts the power of a real ext4 and a real xfs under a whole data directory. It needs
// root and loop devices: with CI=true it fails if it is root and they are missing, elsewhere it
// skips and names what is missing. OVI_CUTS is the number of cuts; default 40, and 8 on xfs.
func TestPowerCuts(t *testing.T) {
	cuts := 40
	if text := os.Getenv("OVI_CUTS"); text != "" {
		n, err := strconv.Atoi(text)
		if err != nil {
			t.Fatal(err)
		}
		cuts = n
	}
	if testing.Short() {
		cuts = 5
	}
	for _, o := range []options{
		{kind: "ext4", traffic: "record", cuts: cuts},
		{kind: "xfs", traffic: "record", cuts: max(5, cuts/5)},
		{kind: "ext4", traffic: "log", cuts: max(5, cuts/5)},
		{kind: "ext4", traffic: "record", nosync: true, cuts: 10},
		{kind: "xfs", traffic: "record", nosync: true, cuts: 10},
	} {
		name := o.kind + "/" + o.traffic
		if o.nosync {
			name += "/control without sync"
		}
		t.Run(name, func(t *testing.T) { cutOff(t, o) })
	}
}

func cutOff(t *testing.T, o options) {
	needs.Root(t, "cutting the power of a file system (mount, and the shutdown ioctl)")
	needs.Program(t, "mkfs."+o.kind)
	needs.Program(t, "mount")
	if o.nosync {
		needs.Program(t, "strace")
	}
	o.limit = 20 * time.Minute
	sum, err := run(t.Context(), o)
	sum.print(t.Output(), o)
	switch {
	case err != nil && sum.cuts == 0 && sum.acknowledged == 0:
		needs.Missing(t, "no file system could be mounted over a loop device: %v", err)
	case err != nil:
		t.Fatal(err)
	case o.nosync && sum.lost == 0:
		t.Error("without a sync nothing was lost: this test would not see a lost record")
	case !o.nosync && sum.lost > 0:
		t.Errorf("%d acknowledged records were lost", sum.lost)
	case sum.cuts < o.cuts:
		t.Errorf("%d cuts in %v, want %d", sum.cuts, o.limit, o.cuts)
	}
}

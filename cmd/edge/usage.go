package edge

import (
	"fmt"
	"net"
	"os"
	"strconv"
	"strings"
	"time"
)

// freeAddress is an address on loopback where nothing listens.
func freeAddress() (string, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	return l.Addr().String(), l.Close()
}

// ticks is how long one unit of CPU time in /proc is.
const ticks = 10 * time.Millisecond

// cpuOf is the CPU time that a process has used.
func cpuOf(pid int) (time.Duration, error) {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0, fmt.Errorf("the CPU time of a process can be read on Linux only: %w", err)
	}
	_, rest, _ := strings.Cut(string(b), ") ") // behind the name
	words := strings.Fields(rest)
	if len(words) < 13 {
		return 0, fmt.Errorf("/proc/%d/stat has %d fields", pid, len(words))
	}
	user, err := strconv.ParseInt(words[11], 10, 64)
	if err != nil {
		return 0, err
	}
	system, err := strconv.ParseInt(words[12], 10, 64)
	return time.Duration(user+system) * ticks, err
}

// memoryOf is a figure of the memory of a process: VmRSS, or VmHWM for the most that it had.
func memoryOf(pid int, figure string) (int64, error) {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0, err
	}
	for line := range strings.Lines(string(b)) {
		if rest, is := strings.CutPrefix(line, figure+":"); is {
			n, err := strconv.ParseInt(strings.Fields(rest)[0], 10, 64)
			return n * 1024, err
		}
	}
	return 0, fmt.Errorf("/proc/%d/status has no %s", pid, figure)
}

package main

import (
	"bufio"
	"bytes"
	"fmt"
	"os"
	"time"
)

// watch samples a process every millisecond until it ends, and returns the maximum of its own
// memory in kB, without the pages of mapped files, which the kernel can reclaim. 0 without /proc.
func watch(pid int) (most func() int64) {
	stop, done := make(chan struct{}), make(chan int64)
	go func() {
		var peak int64
		tick := time.NewTicker(time.Millisecond)
		defer tick.Stop()
		for {
			select {
			case <-stop:
				done <- peak
				return
			case <-tick.C:
				peak = max(peak, anonymous(pid))
			}
		}
	}()
	return func() int64 { close(stop); return <-done }
}

func anonymous(pid int) (kb int64) {
	raw, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0
	}
	for lines := bufio.NewScanner(bytes.NewReader(raw)); lines.Scan(); {
		if n, _ := fmt.Sscanf(lines.Text(), "RssAnon: %d kB", &kb); n == 1 {
			return kb
		}
	}
	return 0
}

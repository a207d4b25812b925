package main

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"sync"
	"time"
)

const (
	taskSingle    = "one sync each"
	taskBatches   = "100 a sync"
	taskAppenders = "8 appenders"
	taskRead      = "read back"
)

// recordSize is that of an observation of one resource.
const recordSize = 600

func tasks() []task {
	return []task{{taskSingle, single}, {taskBatches, batches}, {taskAppenders, appenders}}
}

func single(s subject, records [][]byte) (int, time.Duration, error) {
	const n = 600
	started := time.Now()
	for i := range n {
		if err := s.append(records[i : i+1]); err != nil {
			return 0, 0, err
		}
	}
	return n, time.Since(started), nil
}

func batches(s subject, records [][]byte) (int, time.Duration, error) {
	records = records[:30_000]
	started := time.Now()
	for i := 0; i < len(records); i += 100 {
		if err := s.append(records[i : i+100]); err != nil {
			return 0, 0, err
		}
	}
	return len(records), time.Since(started), nil
}

func appenders(s subject, records [][]byte) (int, time.Duration, error) {
	const callers, each = 8, 500
	share, stop := shared(s)
	errs := make([]error, callers)
	var wg sync.WaitGroup
	started := time.Now()
	for c := range callers {
		wg.Go(func() {
			for i := range each {
				if errs[c] = share(records[c*each+i]); errs[c] != nil {
					return
				}
			}
		})
	}
	wg.Wait()
	took := time.Since(started)
	stop()
	for _, err := range errs {
		if err != nil {
			return 0, 0, err
		}
	}
	return callers * each, took, nil
}

// shared returns a function by which many callers append, and one to end it.
// One goroutine takes all that wait, appends them at once and answers: group
// commit, which none of the others has of its own.
func shared(s subject) (share func([]byte) error, stop func()) {
	if g, ok := s.(grouper); ok {
		return g.appendShared, func() {}
	}
	type request struct {
		record []byte
		done   chan error
	}
	queue := make(chan request, 64)
	var wg sync.WaitGroup
	wg.Go(func() {
		for first := range queue {
			group := []request{first}
			records := [][]byte{first.record}
			for more := true; more; {
				select {
				case r, ok := <-queue:
					if more = ok; ok {
						group, records = append(group, r), append(records, r.record)
					}
				default:
					more = false
				}
			}
			err := s.append(records)
			for _, r := range group {
				r.done <- err
			}
		}
	})
	share = func(record []byte) error {
		r := request{record, make(chan error, 1)}
		queue <- r
		return <-r.done
	}
	return share, func() { close(queue); wg.Wait() }
}

// makeRecords draws records of the same length, the same ones in each run.
func makeRecords(kind string, n int) [][]byte {
	draw := rand.New(rand.NewPCG(600, 1))
	records := make([][]byte, n)
	for i := range records {
		if kind == "random" {
			records[i] = make([]byte, recordSize)
			for j := range records[i] {
				records[i][j] = byte(draw.Uint32())
			}
			continue
		}
		records[i] = observation(draw)
	}
	return records
}

// observation looks like what ovi records of one instance.
func observation(draw *rand.Rand) []byte {
	hex := func(n int) string { return fmt.Sprintf("%0*x", n, draw.Uint64())[:n] }
	b, err := json.Marshal(map[string]any{
		"event": "observed", "ref": fmt.Sprintf("aws/us-east-1/ec2/web-%d", draw.IntN(100_000)),
		"id": "i-0" + hex(16), "stack": "shop", "health": "running",
		"seen": fmt.Sprintf("2026-11-21T09:%02d:%02d.%09dZ", draw.IntN(60), draw.IntN(60), draw.IntN(1e9)),
		"attrs": map[string]any{
			"ami": "ami-0" + hex(16), "type": "t3.micro", "subnet": "subnet-0" + hex(16),
			"security_groups": []string{"sg-0" + hex(16)}, "zone": "us-east-1" + string(rune('a'+draw.IntN(6))),
			"private_ip": fmt.Sprintf("10.%d.%d.%d", draw.IntN(256), draw.IntN(256), draw.IntN(256)),
		},
		"tags": map[string]string{
			"ovi:managed": "true", "ovi:owner": "shop", "ovi:stack": "shop", "Name": "web-" + hex(6), "env": "production",
		},
	})
	if err != nil || len(b) > recordSize-10 {
		panic(fmt.Sprintf("record of %d bytes: %v", len(b), err))
	}
	pad := fmt.Sprintf(`,"pad":"%0*x"}`, recordSize-len(b)-9, draw.Uint64())
	return append(b[:len(b)-1], pad...)[:recordSize]
}

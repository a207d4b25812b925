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
// commit, which a plain file does not have.
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
func makeRecords(kind string, n int) ([][]byte, error) {
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
		var err error
		if records[i], err = observation(draw); err != nil {
			return nil, err
		}
	}
	return records, nil
}

// observed is a record as ovi writes them.
type observed struct {
	Event  string            `json:"event"`
	Ref    string            `json:"ref"`
	ID     string            `json:"id"`
	Stack  string            `json:"stack"`
	Health string            `json:"health"`
	Seen   string            `json:"seen"`
	Attrs  instance          `json:"attrs"`
	Tags   map[string]string `json:"tags"`
}

type instance struct {
	Image   string   `json:"ami"`
	Type    string   `json:"type"`
	Subnet  string   `json:"subnet"`
	Groups  []string `json:"security_groups"`
	Zone    string   `json:"zone"`
	Address string   `json:"private_ip"`
}

// observation looks like what ovi records of one instance.
func observation(draw *rand.Rand) ([]byte, error) {
	hex := func(n int) string { return fmt.Sprintf("%0*x", n, draw.Uint64())[:n] }
	b, err := json.Marshal(observed{
		Event: "observed", Ref: fmt.Sprintf("aws/us-east-1/ec2/web-%d", draw.IntN(100_000)),
		ID: "i-0" + hex(16), Stack: "shop", Health: "running",
		Seen: fmt.Sprintf("2026-11-21T09:%02d:%02d.%09dZ", draw.IntN(60), draw.IntN(60), draw.IntN(1e9)),
		Attrs: instance{
			Image: "ami-0" + hex(16), Type: "t3.micro", Subnet: "subnet-0" + hex(16),
			Groups: []string{"sg-0" + hex(16)}, Zone: "us-east-1" + string(rune('a'+draw.IntN(6))),
			Address: fmt.Sprintf("10.%d.%d.%d", draw.IntN(256), draw.IntN(256), draw.IntN(256)),
		},
		Tags: map[string]string{
			"ovi:managed": "true", "ovi:owner": "shop", "ovi:stack": "shop", "Name": "web-" + hex(6), "env": "production",
		},
	})
	if err != nil {
		return nil, err
	}
	if len(b) > recordSize-10 {
		return nil, fmt.Errorf("a record of %d bytes, and at most %d fit", len(b), recordSize-10)
	}
	pad := fmt.Sprintf(`,"pad":"%0*x"}`, recordSize-len(b)-9, draw.Uint64())
	return append(b[:len(b)-1], pad...)[:recordSize], nil
}

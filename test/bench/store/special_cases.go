package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/ovi-project/ovi/coordinator"
	"github.com/ovi-project/ovi/storage"
)

func quietScans(ctx context.Context, dir string) ([]float64, error) {
	s, err := fresh(dir)
	if err != nil {
		return nil, err
	}
	if err := fill(ctx, s, resources(5000, rand.New(rand.NewPCG(1, 2)))); err != nil {
		return nil, err
	}
	before := disk(dir)
	for i := range 20 {
		value := fmt.Sprintf(`{"scope":"aws/us-east-1","at":"2026-01-02T03:04:%02dZ","complete":true,"changed":0,"gone":0}`,
			i)
		if err := put(ctx, s, "scan/aws/us-east-1", []byte(value)); err != nil {
			return nil, err
		}
	}
	return []float64{(disk(dir) - before) * 1000}, nil
}

// million writes a store with a million versions, 10,000 commits of 100 keys each, and measures
// opening and using it.
func million(ctx context.Context, dir string) ([]float64, error) {
	s, err := fresh(dir)
	if err != nil {
		return nil, err
	}
	rng := rand.New(rand.NewPCG(3, 4))
	value := make([]byte, 60)
	for range 10_000 {
		var tx storage.Tx
		start := rng.IntN(9900)
		for k := range 100 {
			tx.Ops = append(tx.Ops, storage.Op{Key: fmt.Sprintf("obs/%08d", start+k), Value: value})
		}
		if _, err := s.Commit(ctx, tx); err != nil {
			return nil, err
		}
	}
	if err := s.Close(); err != nil {
		return nil, err
	}
	open, err := clock(func() error { s, err = fresh(dir); return err })
	if err != nil {
		return nil, err
	}
	commit, err := clock(func() error { return put(ctx, s, "obs/00005000", []byte("x")) })
	if err != nil {
		return nil, err
	}
	history, err := clock(func() error { return (&ovi{s: s}).history(ctx, "obs/00005000", func([]byte) {}) })
	return []float64{open.Wall, commit.Wall, history.Wall, disk(dir)}, err
}

func tinyCommit(ctx context.Context, dir string) ([]float64, error) {
	s, err := fresh(dir)
	if err != nil {
		return nil, err
	}
	all := resources(10_000, rand.New(rand.NewPCG(1, 2)))
	if err := fill(ctx, s, all); err != nil {
		return nil, err
	}
	var times []float64
	for i := range 300 {
		t, err := clock(func() error { return put(ctx, s, all[i*31].key, all[i].value) })
		if err != nil {
			return nil, err
		}
		times = append(times, t.Wall)
	}
	return []float64{median(times)}, nil
}

const claimRounds = 1000

func claims(ctx context.Context, dir string) ([]float64, error) {
	s, err := fresh(dir)
	if err != nil {
		return nil, err
	}
	c := coordinator.New(s, coordinator.Identity{Instance: "bench"})
	defer c.Close(ctx)
	begun := time.Now()
	for i := range claimRounds {
		err := c.Hold(ctx, fmt.Sprintf("aws/us-east-1/ec2/web-%d", i),
			func(context.Context, coordinator.Claim) error { return nil })
		if err != nil {
			return nil, err
		}
	}
	return []float64{claimRounds / time.Since(begun).Seconds()}, nil
}

func bareClaims(ctx context.Context, dir string) ([]float64, error) {
	s, err := fresh(dir)
	if err != nil {
		return nil, err
	}
	lease, err := s.Grant(ctx, time.Minute)
	if err != nil {
		return nil, err
	}
	begun := time.Now()
	for i := range claimRounds {
		key := fmt.Sprintf("claim/aws/us-east-1/ec2/web-%d", i)
		token, err := s.Commit(ctx, storage.Tx{
			Guards: []storage.Guard{{Key: key}},
			Ops:    []storage.Op{{Key: key, Lease: lease}},
		})
		if err != nil {
			return nil, err
		}
		if _, err := s.Commit(ctx, storage.Tx{
			Guards: []storage.Guard{{Key: key, Created: token}},
			Ops:    []storage.Op{{Key: key, Delete: true}},
		}); err != nil {
			return nil, err
		}
	}
	return []float64{claimRounds / time.Since(begun).Seconds()}, nil
}

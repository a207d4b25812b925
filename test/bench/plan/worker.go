package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/ovi-project/ovi/coordinator"
	"github.com/ovi-project/ovi/engine"
	"github.com/ovi-project/ovi/ledger"
	"github.com/ovi-project/ovi/ledger/event"
	"github.com/ovi-project/ovi/ledger/local"
	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/render"
	"github.com/ovi-project/ovi/render/planview"
	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/source"
	"github.com/ovi-project/ovi/source/config"
)

const (
	location = "here"
	stack    = "bench"
)

// writeConfig writes one file of n named resources, as a user would.
func writeConfig(home, key string, n int) error {
	if err := os.MkdirAll(home, 0o755); err != nil {
		return err
	}
	f, err := os.Create(filepath.Join(home, "ovi.yaml"))
	if err != nil {
		return err
	}
	w := bufio.NewWriter(f)
	fmt.Fprintf(w, "version: v1\nstack: %s\nprovider: bench\n%s: %s\nresources:\n", stack, key, location)
	for i := range n {
		fmt.Fprintf(w, "  - type: thing\n    name: %s\n    size: 20\n    price: 0.25\n    encrypted: true\n    address: %s\n",
			name(i), address(i))
		for _, word := range words {
			fmt.Fprintf(w, "    %s: %s\n", word[0], word[1])
		}
		fmt.Fprint(w, "    tags:\n")
		for _, l := range labels {
			fmt.Fprintf(w, "      %s: \"%s\"\n", l[0], l[1])
		}
		fmt.Fprintf(w, "      unit: %s\n", name(i))
	}
	return errors.Join(w.Flush(), f.Close())
}

// work does what `ovi plan` does, with a provider in memory that reports what the file declares.
func work(home string, n int) error {
	ctx := context.Background()
	providers := provider.Set{"bench": liveState{n}}
	read := config.New([]string{filepath.Join(home, "ovi.yaml")},
		config.Options{Options: source.Options{Schemas: providers}})
	intents, err := source.Load(ctx, read)
	if err != nil {
		return err
	}
	intent := intents[0]
	l, err := local.Open(ctx, ledger.Config{Dir: filepath.Join(home, ".ovi"), User: "bench"})
	if err != nil {
		return err
	}
	if err := bindAll(ctx, l, intent); err != nil {
		return errors.Join(err, l.Close())
	}
	claims := coordinator.New(l.Claims(), coordinator.Identity{Instance: l.Instance(), Run: l.Run(), PID: os.Getpid()})
	e := engine.New(engine.Config{Providers: providers, Ledger: l, Claims: claims})
	planned, err := e.Plan(ctx, []resource.Intent{intent}, engine.PlanOptions{})
	if err != nil {
		return errors.Join(err, l.Close())
	}
	if planned.Plan.Unchanged != n || len(planned.Plan.Decisions) != 0 {
		return fmt.Errorf("%d unchanged and %d decisions, want %d unchanged", planned.Plan.Unchanged,
			len(planned.Plan.Decisions), n)
	}
	view := planview.View{Plan: planned.Plan, Verb: "Plan"}
	return errors.Join(view.Write(os.Stdout, render.Style{}), l.Close())
}

// bindAll records, once, that everything was adopted: what the audit log does not prove to be
// managed is not compared.
func bindAll(ctx context.Context, l *ledger.Ledger, intent resource.Intent) error {
	if len(intent.Resources) == 0 {
		return nil
	}
	known, err := l.Bindings(ctx, intent.Resources[0].Ref.Scope())
	if err != nil || len(known) > 0 {
		return err
	}
	events := make([]event.Event, len(intent.Resources))
	for i := range intent.Resources {
		events[i] = event.Adopted{Ref: intent.Resources[i].Ref, ID: fmt.Sprintf("t-%d", i), Key: "k", Who: "bench"}
	}
	for some := range slices.Chunk(events, 2000) {
		if _, err := l.Record(ctx, some...); err != nil {
			return err
		}
	}
	return nil
}

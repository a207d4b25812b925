package haproxy

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/ovi-project/ovi/internal/vfs"
)

// Folder is the folder of the routes, and the sockets of the HAProxy that loads it.
type Folder struct {
	Path   string
	Socket string // of its runtime API, of the level admin
	Master string // of its master process
}

// State is a route as it is. Without a Problem, HAProxy uses what the files say.
type State struct {
	Route
	Problem string
}

// Read reads all routes of the files, sorted by name, and compares them with what HAProxy uses.
func (f Folder) Read(ctx context.Context) ([]State, error) {
	have, err := f.read()
	if err != nil {
		return nil, err
	}
	entries, err := f.entries(ctx)
	if err != nil {
		return nil, err
	}
	servers, err := f.servers(ctx)
	if err != nil {
		return nil, err
	}
	routes := have.routes()
	var out []State
	for _, name := range slices.Sorted(maps.Keys(routes)) {
		r := routes[name]
		s := State{Route: r}
		used, running := servers[r.Backend()]
		switch {
		case !running:
			s.Problem = "HAProxy has not loaded it"
		case used != server{r.Address, r.Port}:
			s.Problem = fmt.Sprintf("HAProxy uses the address %s:%d", used.address, used.port)
		case r.Off != (entries[name] != r.Backend()):
			s.Problem = "the map that HAProxy uses is not routes.map"
		}
		out = append(out, s)
	}
	return out, nil
}

// Foreign reports whether HAProxy has a backend of the name of a route that is not in this folder.
func (f Folder) Foreign(ctx context.Context, name string) (bool, error) {
	have, err := f.read()
	if err != nil {
		return false, err
	}
	servers, err := f.servers(ctx)
	_, used := servers[Route{Name: name}.Backend()]
	_, own := have.routes()[name]
	return used && !own, err
}

// Change gives do the routes by name to change, writes what it made of them and brings HAProxy in step. One
// change happens at a time, over all processes. If HAProxy does not load the new files, the old ones come back.
func (f Folder) Change(ctx context.Context, do func(routes map[string]Route) error) error {
	return f.locked(ctx, func(have files) error {
		routes := have.routes()
		if err := do(routes); err != nil {
			return err
		}
		if err := valid(routes); err != nil {
			return err
		}
		return f.commit(ctx, have, routes)
	})
}

// locked gives do the files, which nothing else changes meanwhile. HAProxy answers, and uses the map.
func (f Folder) locked(ctx context.Context, do func(have files) error) error {
	unlock, err := f.lock(ctx)
	if err != nil {
		return err
	}
	defer unlock()
	have, err := f.read()
	if err != nil {
		return err
	}
	if _, err := f.entries(ctx); err != nil {
		return err
	}
	return do(have)
}

func valid(routes map[string]Route) error {
	for _, r := range routes {
		if err := r.valid(); err != nil {
			return err
		}
	}
	return nil
}

// commit writes the routes and brings HAProxy in step.
func (f Folder) commit(ctx context.Context, have files, routes map[string]Route) error {
	want := files{parse(have.config).with(routes), mapWith(have.mapping, routes)}
	if err := f.write(have, want); err != nil {
		return err
	}
	gone := slices.ContainsFunc(slices.Collect(maps.Keys(have.routes())),
		func(name string) bool { _, stays := routes[name]; return !stays })
	err := f.follow(ctx, routes, gone)
	switch {
	case errors.Is(err, errRefused):
		return errors.Join(err, f.write(want, have))
	case err != nil:
		return &BehindError{err}
	}
	return nil
}

// BehindError means that the files have changed, and HAProxy does not use them yet.
type BehindError struct{ Err error }

func (e *BehindError) Error() string {
	return "the routes are written, and not in use: " + e.Err.Error()
}
func (e *BehindError) Unwrap() error { return e.Err }

// follow makes HAProxy use the routes: by a reload if one came or went, else by its runtime API.
func (f Folder) follow(ctx context.Context, routes map[string]Route, gone bool) error {
	servers, err := f.servers(ctx)
	if err != nil {
		return err
	}
	for _, r := range routes {
		_, running := servers[r.Backend()]
		gone = gone || !running
	}
	if gone {
		return f.reload(ctx)
	}
	for _, name := range slices.Sorted(maps.Keys(routes)) {
		r := routes[name]
		if want := (server{r.Address, r.Port}); servers[r.Backend()] != want {
			if err := f.setServer(ctx, r.Backend(), want); err != nil {
				return err
			}
		}
	}
	entries, err := f.entries(ctx) // of the map that HAProxy uses
	if err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(routes)) {
		backend := routes[name].Backend()
		verb := "set"
		switch used, known := entries[name]; {
		case used == backend || routes[name].Off:
			continue
		case !known:
			verb = "add"
		}
		if err := f.do(ctx, fmt.Sprintf("%s map %s %s %s", verb, f.mapPath(), name, backend)); err != nil {
			return err
		}
	}
	for _, name := range slices.Sorted(maps.Keys(entries)) {
		if r, stays := routes[name]; stays && !r.Off || !strings.HasPrefix(entries[name], prefix) {
			continue
		}
		if err := f.do(ctx, fmt.Sprintf("del map %s %s", f.mapPath(), name)); err != nil {
			return err
		}
	}
	return nil
}

// lock excludes other changes of the folder.
func (f Folder) lock(ctx context.Context) (func(), error) {
	file, err := vfs.OS().OpenFile(filepath.Join(f.Path, ".ovi.lock"), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	for {
		got, err := file.TryLock()
		if err != nil {
			return nil, errors.Join(err, file.Close())
		}
		if got {
			return func() { _ = file.Close() }, nil // which unlocks it
		}
		select {
		case <-ctx.Done():
			return nil, errors.Join(ctx.Err(), file.Close())
		case <-time.After(poll):
		}
	}
}

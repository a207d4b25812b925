// Package sqlitetest makes databases with Kindler's table clusters, for tests.
package sqlitetest

import (
	"database/sql"
	"errors"
	"fmt"
	"testing"

	_ "modernc.org/sqlite" // opens databases
)

// Schema is Kindler's table, as its scripts and its web backend create it.
const Schema = `CREATE TABLE clusters (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  name TEXT UNIQUE NOT NULL,
  provider TEXT NOT NULL,
  subnet TEXT,
  node_port INTEGER,
  pf_port INTEGER,
  http_port INTEGER,
  https_port INTEGER,
  server_ip TEXT,
  status TEXT DEFAULT 'unknown',
  desired_state TEXT DEFAULT 'present',
  actual_state TEXT DEFAULT 'unknown',
  last_reconciled_at TIMESTAMP,
  reconcile_error TEXT,
  created_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP,
  updated_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP
);
CREATE INDEX idx_clusters_name ON clusters(name);`

// Old is the table of an older Kindler.
const Old = `CREATE TABLE clusters (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  name TEXT UNIQUE NOT NULL,
  provider TEXT NOT NULL,
  subnet TEXT,
  node_port INTEGER,
  pf_port INTEGER,
  http_port INTEGER,
  https_port INTEGER,
  status TEXT DEFAULT 'unknown',
  created_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP,
  updated_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP
);`

// Shipped are the rows that Kindler starts with.
const Shipped = `INSERT INTO clusters (name, provider, subnet, node_port, pf_port, http_port, https_port) VALUES
  ('devops', 'k3d', NULL, 30800, 19000, 23800, 23843),
  ('dev', 'k3d', '10.101.0.0/16', 30080, 19001, 18090, 18443),
  ('uat', 'k3d', '10.102.0.0/16', 30080, 19002, 18091, 18444),
  ('prod', 'k3d', '10.103.0.0/16', 30080, 19003, 18092, 18445),
  ('dev-a', 'kind', NULL, 30081, 19011, 18093, 18446),
  ('dev-b', 'kind', NULL, 30082, 19012, 18094, 18447),
  ('dev-c', 'kind', NULL, 30083, 19013, 18095, 18448);`

// Exec runs statements on a database, which is created if it does not exist.
func Exec(t testing.TB, path string, statements ...string) {
	t.Helper()
	if err := Do(path, statements...); err != nil {
		t.Fatal(err)
	}
}

// Quoted are the values of a query, as SQL literals: byte by byte what the database holds.
func Quoted(t testing.TB, path, query string) []string {
	t.Helper()
	out, err := Query(path, query)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// Do is Exec outside a test.
func Do(path string, statements ...string) error {
	db, err := sql.Open("sqlite", path)
	if err != nil {
		return err
	}
	for _, s := range statements {
		if _, err := db.Exec(s); err != nil {
			return errors.Join(fmt.Errorf("%s: %w", s, err), db.Close())
		}
	}
	return db.Close()
}

// Query are the values of a query with one column.
func Query(path, query string) (out []string, err error) {
	db, err := sql.Open("sqlite", path)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	rows, err := db.Query(query)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, rows.Err(), rows.Close()) }()
	for rows.Next() {
		var s string
		if err := rows.Scan(&s); err != nil {
			return nil, err
		}
		out = append(out, s)
	}
	return out, nil
}

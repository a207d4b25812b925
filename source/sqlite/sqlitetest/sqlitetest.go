// Package sqlitetest makes databases with Kindler's table clusters, for tests.
package sqlitetest

import (
	"database/sql"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"testing"

	_ "modernc.org/sqlite" // opens databases

	"github.com/ovi-project/ovi/examples/fleet"
)

// parts are the statements of the example: what makes the table, and what fills it.
func parts() (schema, rows string) {
	schema, rows, _ = strings.Cut(fleet.Clusters, "\nINSERT ")
	return schema, "INSERT " + rows
}

// Schema is Kindler's table.
func Schema() string {
	schema, _ := parts()
	return schema
}

// Old is the table of an older Kindler.
func Old() string {
	added := regexp.MustCompile(`(?m)^  (server_ip|desired_state|actual_state|last_reconciled_at|reconcile_error) .*\n`)
	return added.ReplaceAllString(Schema(), "")
}

// Shipped are the rows that Kindler starts with: the management cluster, and those of the example.
func Shipped() string {
	_, rows := parts()
	return "INSERT INTO clusters (name, provider, node_port, pf_port, http_port, https_port) VALUES ('devops', 'k3d', " +
		"30800, 19000, 23800, 23843);\n" + rows
}

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
	db, err := sql.Open("sqlite", path+"?_pragma=busy_timeout(10000)")
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
	db, err := sql.Open("sqlite", path+"?_pragma=busy_timeout(10000)")
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

package main

import (
	"context"
	"database/sql"
	"path/filepath"

	_ "modernc.org/sqlite"
)

// lite is SQLite in WAL mode, synchronous=FULL: the newest of each key in one table, older
// versions in another.
type lite struct{ db *sql.DB }

func openSQLite(ctx context.Context, dir string) (system, error) {
	db, err := sql.Open("sqlite", "file:"+filepath.Join(dir, "store.sqlite")+
		"?_pragma=journal_mode(WAL)&_pragma=synchronous(FULL)")
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(1)
	_, err = db.ExecContext(ctx, `
		CREATE TABLE cur  (key TEXT PRIMARY KEY, rev INTEGER NOT NULL, value BLOB NOT NULL) WITHOUT ROWID;
		CREATE TABLE hist (key TEXT, rev INTEGER, until INTEGER, value BLOB NOT NULL, PRIMARY KEY (key, rev)) WITHOUT ROWID;`)
	return lite{db}, err
}

func (l lite) write(ctx context.Context, rev int, records []record) error {
	tx, err := l.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	keep, err := tx.PrepareContext(ctx, `INSERT INTO hist SELECT key, rev, ?, value FROM cur WHERE key = ?`)
	if err != nil {
		return err
	}
	put, err := tx.PrepareContext(ctx, `INSERT OR REPLACE INTO cur VALUES (?, ?, ?)`)
	if err != nil {
		return err
	}
	for _, r := range records {
		if rev > 1 {
			if _, err := keep.ExecContext(ctx, rev, r.key); err != nil {
				return err
			}
		}
		if _, err := put.ExecContext(ctx, r.key, rev, r.value); err != nil {
			return err
		}
	}
	return tx.Commit()
}

func (l lite) liveState(ctx context.Context, rev int, see func(key, value []byte)) error {
	query, args := `SELECT value FROM cur ORDER BY key`, []any(nil)
	if rev > 0 {
		query = `SELECT value FROM (SELECT key, value FROM cur WHERE rev <= ?1
			UNION ALL SELECT key, value FROM hist WHERE rev <= ?1 AND until > ?1) ORDER BY key`
		args = []any{rev}
	}
	return l.each(ctx, func(v []byte) { see(nil, v) }, query, args...)
}

func (l lite) history(ctx context.Context, key string, see func(value []byte)) error {
	return l.each(ctx, see, `SELECT value FROM hist WHERE key = ?1 UNION ALL SELECT value FROM cur WHERE key = ?1`, key)
}

func (l lite) each(ctx context.Context, see func([]byte), query string, args ...any) error {
	rows, err := l.db.QueryContext(ctx, query, args...)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		var v sql.RawBytes
		if err := rows.Scan(&v); err != nil {
			return err
		}
		see(v)
	}
	return rows.Err()
}

func (l lite) close() error { return l.db.Close() }

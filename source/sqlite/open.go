package sqlite

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"github.com/ovi-project/ovi/resource/position"
	"github.com/ovi-project/ovi/source"
)

// The head of a file of SQLite, and the bytes in it that tell whether it has a write-ahead log.
const (
	magic     = "SQLite format 3\x00"
	headSize  = 20
	walFormat = 2
)

// Reads reports whether a path is for this package: a regular file that starts as databases of
// SQLite do or, if it is empty, has their ending.
func Reads(path string) bool {
	h, err := head(path)
	if err != nil {
		return false
	}
	ending := strings.ToLower(filepath.Ext(path))
	return strings.HasPrefix(h, magic) || slices.Contains([]string{".db", ".sqlite", ".sqlite3"}, ending)
}

// head is the beginning of a regular file.
func head(path string) (string, error) {
	info, err := os.Stat(path)
	if err == nil && !info.Mode().IsRegular() {
		err = errors.New("it is not a file")
	}
	if err != nil {
		return "", err
	}
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	var b bytes.Buffer
	_, err = io.CopyN(&b, f, headSize)
	if errors.Is(err, io.EOF) {
		err = nil
	}
	return b.String(), errors.Join(err, f.Close())
}

// wrong is an error of the whole database.
func (t *Table) wrong(summary, suggestion string) error {
	return source.Problems{{At: position.Position{File: t.path}, Summary: summary, Suggestion: suggestion}}
}

// readable refuses what SQLite would create, or would report in its own words.
func (t *Table) readable() (h string, err error) {
	h, err = head(t.path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "", t.wrong("the database does not exist", "check the path; it is relative to the current folder")
	case err != nil:
		return "", t.wrong("cannot read the database: "+source.FileError(err), "check the permissions of the file")
	case h == "":
		return "", t.wrong("the database is empty", "create the table clusters: see docs/clusters.md")
	case !strings.HasPrefix(h, magic):
		return "", t.wrong("the file is not a database of SQLite", "name the database with the table clusters")
	}
	return h, nil
}

// read runs do on a database that cannot be written to. A database with a write-ahead log that is
// empty is read as a file that does not change, because SQLite would create two files beside it; if
// it changed all the same, it is read again.
func (t *Table) read(ctx context.Context, do func(*sql.DB) error) error {
	for range 10 {
		h, err := t.readable()
		if err != nil {
			return err
		}
		alone := len(h) == headSize && h[headSize-1] == walFormat && !filled(t.path+"-wal")
		parameters := []string{"mode=ro"}
		if alone {
			parameters = append(parameters, "immutable=1")
		}
		before, _ := os.Stat(t.path)
		if err = t.with(ctx, parameters, do); !alone && err == nil {
			return nil
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		after, _ := os.Stat(t.path)
		same := before != nil && after != nil && before.ModTime().Equal(after.ModTime()) && before.Size() == after.Size() &&
			os.SameFile(before, after)
		if !alone || same && !filled(t.path+"-wal") {
			return t.explain(err)
		}
	}
	return t.wrong("the database changes too often to be read", "run the command again when nothing writes to it")
}

// with runs do on the database, which it opens with parameters of a URI of SQLite.
func (t *Table) with(ctx context.Context, parameters []string, do func(*sql.DB) error) error {
	abs, err := filepath.Abs(t.path)
	if err != nil {
		return err
	}
	query := append([]string{fmt.Sprintf("_pragma=busy_timeout(%d)", t.opts.Wait.Milliseconds())}, parameters...)
	u := url.URL{Scheme: "file", Path: filepath.ToSlash(abs), RawQuery: strings.Join(query, "&")}
	db, err := sql.Open("sqlite", u.String())
	if err != nil {
		return err
	}
	db.SetMaxOpenConns(1)
	err = bound(ctx, db)
	if err == nil {
		err = do(db)
	}
	return errors.Join(err, db.Close())
}

func filled(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Size() > 0
}

// explain turns an error of SQLite into what is wrong and what to do about it.
func (t *Table) explain(err error) error {
	var e *sqlite.Error
	if err == nil || !errors.As(err, &e) {
		return err
	}
	switch e.Code() & 0xff {
	case sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED:
		return t.wrong(fmt.Sprintf("the database is locked by another process, for more than %s", t.opts.Wait),
			"run the command again when nothing writes to it")
	case sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_CORRUPT:
		return t.wrong("the database is damaged: "+e.Error(),
			"check it with `sqlite3 FILE 'PRAGMA integrity_check'`, and restore a copy")
	case sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_PERM, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_READONLY:
		return t.wrong("cannot use the database: "+e.Error(), "check the permissions of the file and of its folder")
	case sqlite3.SQLITE_FULL:
		return t.wrong("the disk is full", "free some space and run the command again")
	}
	return t.wrong("cannot use the database: "+e.Error(), "check its table clusters against docs/clusters.md")
}

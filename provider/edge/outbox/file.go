package outbox

import (
	"bytes"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/ovi-project/ovi/provider/edge/link"
)

// line is one line of the file: its head, an event, or an acknowledgment.
type line struct {
	Incarnation string      `json:"incarnation,omitempty"`
	Number      uint64      `json:"number,omitempty"`
	Acked       uint64      `json:"acked,omitempty"`
	High        []mark      `json:"high,omitempty"`
	Event       *link.Event `json:"event,omitempty"`
}

// mark is the newest event of an origin.
type mark struct {
	link.Origin
	Seq    uint64 `json:"seq"`
	Number uint64 `json:"number"` // that it has here
}

func newIncarnation() string { return rand.Text()[:16] }

// file is lines with a checksum each.
type file struct {
	name  string
	f     *os.File
	size  int64
	lines int
	whole int64 // its size when it was written as a whole
}

func openFile(name string) (*file, []line, error) {
	if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
		return nil, nil, err
	}
	f, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, nil, err
	}
	lines, size, err := parse(name)
	if err == nil {
		err = f.Truncate(size)
	}
	if err != nil {
		return nil, nil, errors.Join(err, f.Close())
	}
	return &file{name: name, f: f, size: size, lines: len(lines)}, lines, nil
}

// parse reads the lines up to the first that a crash cut short, and the size up to there. A damaged line with
// others behind it is an error: it was acknowledged.
func parse(name string) (lines []line, size int64, err error) {
	b, err := os.ReadFile(name)
	if err != nil {
		return nil, 0, err
	}
	for len(b) > 0 {
		text, rest, whole := bytes.Cut(b, []byte("\n"))
		var l line
		sum, body, is := bytes.Cut(text, []byte(" "))
		if !whole || !is || string(sum) != checksum(body) || json.Unmarshal(body, &l) != nil {
			if whole && len(rest) > 0 {
				return nil, 0, fmt.Errorf("%s is damaged at byte %d", name, size)
			}
			return lines, size, nil
		}
		lines, size, b = append(lines, l), size+int64(len(text))+1, rest
	}
	return lines, size, nil
}

func readLines(name string) ([]line, error) {
	lines, _, err := parse(name)
	return lines, err
}

// Read gives the events in a file in order, also while another process writes to it; none if there is no file.
func Read(name string) ([]link.Event, error) {
	lines, err := readLines(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	var out []link.Event
	for _, l := range lines {
		if l.Event != nil {
			out = append(out, *l.Event)
		}
	}
	return out, err
}

func checksum(body []byte) string { return fmt.Sprintf("%08x", crc32.ChecksumIEEE(body)) }

func encode(lines []line) ([]byte, error) {
	var out bytes.Buffer
	for _, l := range lines {
		body, err := json.Marshal(l)
		if err != nil {
			return nil, err
		}
		out.WriteString(checksum(body))
		out.WriteByte(' ')
		out.Write(body)
		out.WriteByte('\n')
	}
	return out.Bytes(), nil
}

// append adds lines. They are durable when it returns; if it fails, none is there.
func (f *file) append(lines []line) error {
	b, err := encode(lines)
	if err != nil {
		return err
	}
	if _, err = f.f.WriteAt(b, f.size); err == nil &&
		(len(lines) != 1 || lines[0].Event != nil || lines[0].Incarnation != "") {
		err = f.f.Sync() // an acknowledgment that is lost comes again
	}
	if err != nil {
		return errors.Join(err, f.f.Truncate(f.size))
	}
	f.size += int64(len(b))
	f.lines += len(lines)
	return nil
}

// replace writes the file as a whole.
func (f *file) replace(lines []line) error {
	b, err := encode(lines)
	if err != nil {
		return err
	}
	next, err := os.CreateTemp(filepath.Dir(f.name), ".new-*")
	if err != nil {
		return err
	}
	_, err = next.Write(b)
	if err = errors.Join(err, next.Sync()); err == nil {
		err = os.Rename(next.Name(), f.name)
	}
	if err != nil {
		return errors.Join(err, next.Close(), os.Remove(next.Name()))
	}
	_ = f.f.Close() // its content is in the other one
	f.f, f.size, f.lines, f.whole = next, int64(len(b)), len(lines), int64(len(b))
	return nil
}

func (f *file) close() error { return f.f.Close() }

package outbox

import (
	"bufio"
	"bytes"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
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

// openFile opens a file, and reads its lines in turn. A last line that a crash cut short is removed.
func openFile(name string, read func(line)) (*file, error) {
	if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
		return nil, err
	}
	f, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	out := &file{name: name, f: f}
	out.size, err = each(name, func(_ []byte, l line) error {
		out.lines++
		read(l)
		return nil
	})
	if err == nil {
		err = f.Truncate(out.size)
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return out, nil
}

// each reads the lines up to the first that a crash cut short, and returns the size up to there. A damaged line with
// others behind it is an error: it was acknowledged. The text of a line is valid until the next one.
func each(name string, do func(text []byte, l line) error) (size int64, err error) {
	f, err := os.Open(name)
	if err != nil {
		return 0, err
	}
	defer func() { _ = f.Close() }()
	from := bufio.NewReaderSize(f, 64<<10)
	for {
		text, err := readLine(from)
		if err != nil && !errors.Is(err, io.EOF) {
			return size, err
		}
		whole := err == nil
		if !whole && len(text) == 0 {
			return size, nil
		}
		var l line
		sum, body, is := bytes.Cut(bytes.TrimSuffix(text, []byte("\n")), []byte(" "))
		if !whole || !is || string(sum) != checksum(body) || json.Unmarshal(body, &l) != nil {
			if _, err := from.Peek(1); whole && err == nil {
				return size, fmt.Errorf("%s is damaged at byte %d", name, size)
			}
			return size, nil
		}
		size += int64(len(text))
		if err := do(text, l); err != nil {
			return size, err
		}
	}
}

// readLine reads a line with its end, without a copy where it can.
func readLine(from *bufio.Reader) ([]byte, error) {
	text, err := from.ReadSlice('\n')
	if !errors.Is(err, bufio.ErrBufferFull) {
		return text, err
	}
	text = bytes.Clone(text)
	rest, err := from.ReadBytes('\n')
	return append(text, rest...), err
}

// copyLines copies the lines of a file to keep, and returns how many there are.
func copyLines(to io.Writer, name string, keep []bool) (lines int, err error) {
	f, err := os.Open(name)
	if err != nil {
		return 0, err
	}
	defer func() { _ = f.Close() }()
	from := bufio.NewReaderSize(f, 64<<10)
	for _, k := range keep {
		text, err := readLine(from)
		if err == nil && k {
			lines++
			_, err = to.Write(text)
		}
		if err != nil {
			return lines, err
		}
	}
	return lines, nil
}

// Read gives the events in a file in order, also while another process writes to it; none if there is no file.
func Read(name string) ([]link.Event, error) {
	var out []link.Event
	_, err := each(name, func(_ []byte, l line) error {
		if l.Event != nil {
			out = append(out, *l.Event)
		}
		return nil
	})
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return out, err
}

func checksum(body []byte) string { return fmt.Sprintf("%08x", crc32.ChecksumIEEE(body)) }

// encode writes a line.
func encode(to io.Writer, l line) error {
	body, err := json.Marshal(l)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(to, "%s %s\n", checksum(body), body)
	return err
}

// append adds lines. They are durable when it returns; if it fails, none is there.
func (f *file) append(lines []line) error {
	var out bytes.Buffer
	for _, l := range lines {
		if err := encode(&out, l); err != nil {
			return err
		}
	}
	_, err := f.f.WriteAt(out.Bytes(), f.size)
	if err == nil &&
		(len(lines) != 1 || lines[0].Event != nil || lines[0].Incarnation != "") {
		err = f.f.Sync() // an acknowledgment that is lost comes again
	}
	if err != nil {
		return errors.Join(err, f.f.Truncate(f.size))
	}
	f.size += int64(out.Len())
	f.lines += len(lines)
	return nil
}

// replace writes the file as a whole: write gives it its lines, and returns how many.
func (f *file) replace(write func(to io.Writer) (lines int, err error)) error {
	next, err := os.CreateTemp(filepath.Dir(f.name), ".new-*")
	if err != nil {
		return err
	}
	out := bufio.NewWriterSize(next, 64<<10)
	lines, err := write(out)
	if err == nil {
		err = out.Flush()
	}
	size, bad := next.Seek(0, io.SeekCurrent)
	if err = errors.Join(err, bad, next.Sync()); err == nil {
		err = os.Rename(next.Name(), f.name)
	}
	if err != nil {
		return errors.Join(err, next.Close(), os.Remove(next.Name()))
	}
	_ = f.f.Close() // its content is in the other one
	f.f, f.size, f.lines, f.whole = next, size, lines, size
	return nil
}

func (f *file) close() error { return f.f.Close() }

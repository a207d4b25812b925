// Command verify checks a file that `ovi prove` wrote, without ovi: wal/FORMAT.md is all that it
// knows of the format. It ends with 1 where anything does not fit.
package main

import (
	"encoding/hex"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"strings"
	"unicode"
)

func main() {
	key := flag.String("key", "", "require that this `KEY` signed the log (64 hexadecimal digits, from `ovi audit verify`)")
	point := flag.String("checkpoint", "", "require that the proof is under this checkpoint `LINE`, kept elsewhere")
	flag.Parse()
	text, err := readFile(flag.Arg(0))
	if err == nil {
		err = verify(text, *key, *point, os.Stdout)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "Error:", printable(err.Error()))
		os.Exit(1)
	}
}

// maxProof is much more than a proof of a resource with a long history has.
const maxProof = 64 << 20

// readFile reads a proof.
func readFile(name string) (text []byte, err error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	text, err = io.ReadAll(io.LimitReader(f, maxProof+1))
	if len(text) > maxProof {
		return nil, fmt.Errorf("%s is larger than %d MiB, and a proof is smaller", name, maxProof>>20)
	}
	return text, err
}

// verify checks a proof and prints what it proves.
func verify(text []byte, key, point string, out io.Writer) error {
	p, err := read(text)
	if err != nil {
		return err
	}
	by := hex.EncodeToString(p.anchor.key)
	switch {
	case key != "" && !strings.EqualFold(key, by):
		return fmt.Errorf("the log is signed by key %s, not by %s", by, key)
	case point != "" && strings.TrimSpace(point) != p.Checkpoint:
		return errors.New("the proof is under another checkpoint: ask for `ovi prove REF --checkpoint LINE`")
	}
	s, err := tell(p)
	if err != nil {
		return err
	}
	lines := append(append([]string{p.Ref + ": " + s.end + "."}, s.lines...), s.notes...)
	lines = append(lines,
		fmt.Sprintf("Verified: %d records in %d batches of log %x, which has records %d to %d at %s UTC.",
			len(p.records), p.batches, p.anchor.log, p.First, p.anchor.last, stamp(p.anchor.at)),
		"Signed by key "+by+".")
	_, err = fmt.Fprintln(out, printable(strings.Join(lines, "\n")))
	return err
}

// printable replaces what a terminal would not print but do.
func printable(s string) string {
	return strings.Map(func(r rune) rune {
		if r == '\n' || unicode.IsPrint(r) {
			return r
		}
		return unicode.ReplacementChar
	}, s)
}

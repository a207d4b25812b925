package command

import (
	"errors"
	"fmt"
	"hash/fnv"
	"io/fs"
	"os"
	"path/filepath"
)

// markMost is how many files of a folder are checked for changes; a change of another one is
// seen at the interval.
const markMost = 10_000

// MarkOf is another string when a file, or one in a folder, is another one by size or time, or
// can be read no more or again: the cycle that follows says what is wrong. It is asked once a
// second: that works on every file system and through the links of a mounted ConfigMap, where
// notifications of the system do not.
func MarkOf(paths ...string) string {
	h, n := fnv.New64a(), 0
	for _, path := range paths {
		err := filepath.WalkDir(path, func(name string, d fs.DirEntry, err error) error {
			if n++; n > markMost {
				return fs.SkipAll
			}
			if d != nil && d.IsDir() && name != path && d.Name()[0] == '.' {
				return fs.SkipDir // the record itself, a repository
			}
			info, bad := os.Stat(name)
			if err = errors.Join(err, bad); err != nil {
				_, _ = fmt.Fprintln(h, name, err)
			} else if !info.IsDir() {
				_, _ = fmt.Fprintln(h, name, info.Size(), info.ModTime().UnixNano())
			}
			return nil // a folder that cannot be read is gone by
		})
		_, _ = fmt.Fprintln(h, path, err)
	}
	return fmt.Sprint(h.Sum64())
}

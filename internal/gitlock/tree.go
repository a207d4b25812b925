package gitlock

import (
	"archive/zip"
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/ovi-project/ovi/internal/gitclone"
)

// treeHeader is the first line of the files of a folder, and has the version of the format. Each file follows as
// "file SIZE NAME", its content, and a line end, sorted by names.
const treeHeader = "ovi tree v1"

// maxTree bounds the text of a folder: its contents, and the names.
const maxTree = gitclone.MaxBytes + gitclone.MaxFiles*(maxName+32)

const maxName = 1024

// maxTotal bounds the files of all folders that one configuration uses.
const maxTotal = 4 * gitclone.MaxBytes

// Total counts the bytes of the folders that one configuration uses.
type Total struct{ bytes int64 }

// Add adds the files of a folder that InMemory returned. It returns an error if all are too many.
func (t *Total) Add(files fs.FS) error {
	if z, is := files.(*zip.Reader); is {
		for _, f := range z.File {
			t.bytes += int64(f.UncompressedSize64) //nolint:gosec // it was in memory
		}
	}
	if t.bytes > maxTotal {
		return &Error{
			Summary: fmt.Sprintf("the components from Git have more than %d MiB", maxTotal>>20),
			Next:    "use folders that have only the files of the components",
		}
	}
	return nil
}

// checkName explains why a name of a file in a repository is not used; it is empty for a usable name.
func checkName(name string) string {
	if !fs.ValidPath(name) || len(name) > maxName {
		return "a name that cannot be used"
	}
	if strings.ContainsFunc(name, unicode.IsControl) || strings.ContainsAny(name, "\\:") {
		return "a control character, a backslash or a colon in a name"
	}
	for part := range strings.SplitSeq(name, "/") {
		if strings.EqualFold(strings.TrimRight(part, ". "), ".git") || strings.EqualFold(part, "git~1") {
			return "a name that Git does not allow: .git"
		}
	}
	return ""
}

// Encode returns the files of a folder as one text. The names of the files start with the path of the folder.
func Encode(files []gitclone.File, folder string) ([]byte, error) {
	var out bytes.Buffer
	out.WriteString(treeHeader + "\n")
	files = slices.Clone(files)
	slices.SortFunc(files, func(a, b gitclone.File) int { return cmp.Compare(a.Name, b.Name) })
	for i, f := range files {
		name := f.Name
		if folder != "." {
			inside, below := strings.CutPrefix(name, folder+"/")
			if !below {
				return nil, fmt.Errorf("%s is a file, and a component is a folder", folder)
			}
			name = inside
		}
		if why := checkName(name); why != "" {
			return nil, fmt.Errorf("the folder has %s: %q", why, f.Name)
		}
		if i > 0 && files[i-1].Name == f.Name {
			return nil, fmt.Errorf("the folder has two files with the name %q", f.Name)
		}
		fmt.Fprintf(&out, "file %d %s\n", len(f.Text), name)
		out.Write(f.Text)
		out.WriteByte('\n')
	}
	if len(files) == 0 {
		return nil, fmt.Errorf("the folder has no files")
	}
	return out.Bytes(), nil
}

// Decode reads the text of a folder. The names of the files start with the path of the folder.
func Decode(text []byte, folder string) ([]gitclone.File, error) {
	wrong := func(what string) ([]gitclone.File, error) {
		return nil, fmt.Errorf("the text of the folder is damaged: %s", what)
	}
	rest, ok := bytes.CutPrefix(text, []byte(treeHeader+"\n"))
	if !ok {
		return wrong("its first line is not " + treeHeader)
	}
	var files []gitclone.File
	last := ""
	for len(rest) > 0 {
		line, after, found := bytes.Cut(rest, []byte("\n"))
		words := strings.SplitN(string(line), " ", 3)
		if !found || len(words) != 3 || words[0] != "file" || checkName(words[2]) != "" || words[2] <= last {
			return wrong("a line is not file SIZE NAME")
		}
		size, err := strconv.Atoi(words[1])
		if err != nil || size < 0 || strconv.Itoa(size) != words[1] || size >= len(after) || after[size] != '\n' ||
			len(files) == gitclone.MaxFiles {
			return wrong("a file ends elsewhere than its size says")
		}
		last = words[2]
		files = append(files, gitclone.File{Name: path.Join(folder, last), Text: after[:size]})
		rest = after[size+1:]
	}
	return files, nil
}

// Digest returns the digest of the text of a folder.
func Digest(text []byte) string {
	sum := sha256.Sum256(text)
	return "sha256:" + hex.EncodeToString(sum[:])
}

package decider

import (
	"crypto/sha256"
	"io"
	"strconv"

	"github.com/ovi-project/ovi/resource"
)

// tellAlike sets Alike on the creates of one block whose secrets are equal. A digest is bound to its resource, so
// a screen cannot compare the secrets of two resources; here they are compared in plain.
func tellAlike(decisions []Decision) {
	first := map[string]resource.Ref{}
	for i := range decisions {
		d := &decisions[i]
		if d.Proposed != Create || d.Desired == nil || d.Desired.At.Line == 0 {
			continue
		}
		secrets := sha256.New() // of this run only: it is not recorded
		if n, known := writeSecrets(secrets, "", d.Desired.Attrs); !known || n == 0 {
			continue
		}
		block := d.Ref
		block.Name = d.Desired.At.File + "\x00" + string(resource.AppendJSON(nil, resource.List{
			resource.Int(d.Desired.At.Line), resource.Int(d.Desired.At.Column),
		}))
		key := block.String() + "\x00" + string(secrets.Sum(nil))
		if _, is := first[key]; !is {
			first[key] = d.Ref
		}
		d.Alike = first[key]
	}
}

// writeSecrets writes the secrets of a value with their paths, and returns how many it wrote. It returns false if the
// plain text of one of them is not known.
func writeSecrets(w io.Writer, path string, v resource.Value) (n int, known bool) {
	inside := func(path string, x resource.Value) bool {
		m, ok := writeSecrets(w, path, x)
		n += m
		return ok
	}
	switch v := v.(type) {
	case resource.Digest:
		return 0, false
	case resource.Secret:
		_, _ = w.Write(resource.AppendJSON(nil, resource.List{resource.String(path), resource.String(v.Reveal())}))
		return 1, v.Reveal() != ""
	case resource.Attrs:
		for _, a := range v {
			if !inside(path+"."+a.Name, a.Value) {
				return n, false
			}
		}
	case resource.List:
		for i, x := range v {
			if !inside(path+"["+strconv.Itoa(i)+"]", x) {
				return n, false
			}
		}
	case resource.Text:
		return writeSecrets(w, path, resource.List(v))
	}
	return n, true
}

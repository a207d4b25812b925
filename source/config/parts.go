package config

import (
	"path/filepath"

	"github.com/ovi-project/ovi/resource/position"
	"github.com/ovi-project/ovi/source"
	"github.com/ovi-project/ovi/source/config/input"
)

// parts makes each file a part of the source. A single file is the whole.
func parts(d *source.Draft, files []*input.File) {
	names, bases := map[string]string{}, map[string]bool{}
	for _, f := range files {
		base := filepath.Base(f.Name)
		names[f.Name] = base
		if bases[base] { // of several folders
			names = nil
			break
		}
		bases[base] = true
	}
	for _, f := range files {
		if names == nil {
			d.PartNames = append(d.PartNames, f.Name)
		} else {
			d.PartNames = append(d.PartNames, names[f.Name])
		}
	}
	if len(files) == 1 {
		return
	}
	d.Part = func(at position.Position) string {
		if names == nil {
			return at.File
		}
		return names[at.File]
	}
}

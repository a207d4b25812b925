package datadir

import "io/fs"

// ownership finds nothing: access is by lists, which the folder of the user restricts.
func ownership(string, string, fs.FileInfo) (Fault, bool) { return Fault{}, false }

package compute

import (
	"github.com/ovi-project/ovi/provider/aws/sandbox/core"
)

import "strconv"

// launchTemplate has versions, which never change.
type launchTemplate struct {
	core.Base
	Name     string            `json:"name"`
	Versions []templateVersion `json:"versions"`
	Default  int               `json:"default"`
}

// templateVersion keeps its data as the parameters that it came in: those of RunInstances.
type templateVersion struct {
	Number int               `json:"number"`
	Data   map[string]string `json:"data"`
}

// version is the one of a number, $Default or $Latest.
func (l *launchTemplate) version(name string) (templateVersion, bool) {
	for _, v := range l.Versions {
		if name == strconv.Itoa(v.Number) || name == "$Default" && v.Number == l.Default || name == "$Latest" && v.Number == len(l.Versions) {
			return v, true
		}
	}
	return templateVersion{}, false
}

func (l *launchTemplate) Show(_ *core.Tx, out *core.Resource) {
	out.Name, out.Size = l.Name, "version "+strconv.Itoa(l.Default)
}

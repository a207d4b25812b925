package awsfake

// launchTemplate has versions, which never change.
type launchTemplate struct {
	base
	Name     string            `json:"name"`
	Versions []templateVersion `json:"versions"`
	Default  int               `json:"default"`
}

func (*launchTemplate) kind() string    { return kindTemplate }
func (l *launchTemplate) clone() entity { c := *l; return &c }

// templateVersion keeps its data as the parameters that it came in: those of RunInstances.
type templateVersion struct {
	Number int               `json:"number"`
	Data   map[string]string `json:"data"`
}

// version is the one of a number, $Default or $Latest.
func (l *launchTemplate) version(name string) (templateVersion, bool) {
	for _, v := range l.Versions {
		if name == itoa(v.Number) || name == "$Default" && v.Number == l.Default || name == "$Latest" && v.Number == len(l.Versions) {
			return v, true
		}
	}
	return templateVersion{}, false
}

package libpod

import "encoding/json"

// Words is a command line: versions of Podman write it as a string, a list or null.
type Words []string

// UnmarshalJSON reads each of the forms.
func (w *Words) UnmarshalJSON(b []byte) error {
	var list []string
	if json.Unmarshal(b, &list) == nil {
		*w = list
		return nil
	}
	var one string
	if err := json.Unmarshal(b, &one); err != nil {
		return err
	}
	*w = nil
	if one != "" {
		*w = Words{one}
	}
	return nil
}

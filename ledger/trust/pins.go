package trust

import (
	"encoding/json"
	"slices"
	"strings"
	"time"
)

// maxPins limits the pinned keys that no operator has decided about. Who writes a shared store can make any number of
// keys, and each pin is a record and an alert.
const maxPins = 100

// Pin is a key of another instance that was pinned at its first use, and that no operator has
// confirmed or revoked since.
type Pin struct {
	Instance, Key string
	At            time.Time
}

// keysOfPins lists the keys in the pins of an instance.
func keysOfPins(prefix string, tables ...map[string][]byte) (keys []string) {
	for _, t := range tables {
		for name, value := range t {
			var pin struct {
				Of string `json:"key"`
			} // as in rows.Pin
			if strings.HasPrefix(name, prefix) && json.Unmarshal(value, &pin) == nil {
				keys = append(keys, pin.Of)
			}
		}
	}
	slices.Sort(keys)
	return slices.Compact(keys)
}

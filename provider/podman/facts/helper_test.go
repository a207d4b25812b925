package facts

import (
	"github.com/ovi-project/ovi/resource"
)

type values = map[string]resource.Value

func text(s string) resource.String { return resource.String(s) }

func object(m values) resource.Attrs { return resource.AttrsOf(m) }

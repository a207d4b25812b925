package resource_test

import (
	"testing"

	"github.com/ovi-project/ovi/resource"
)

func TestConcealHidesEverySecretOfAValue(t *testing.T) {
	t.Parallel()
	attrs := resource.NewAttrs(
		resource.Attr{Name: "password", Value: resource.NewSecret("hunter2", "d1")},
		resource.Attr{Name: "empty", Value: resource.NewSecret("", "d2")},
		resource.Attr{Name: "keys", Value: resource.List{resource.NewAttrs(resource.Attr{Name: "key", Value: resource.NewSecret("fake-key", "d3")})}},
		resource.Attr{Name: "size", Value: resource.String("small")},
	)
	got := resource.Conceal("hunter2 is invalid for small, and so is fake-key; hunter2!", attrs)
	if want := "(secret) is invalid for small, and so is (secret); (secret)!"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

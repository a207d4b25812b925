package config_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/source/config"
)

// TestFaultsOfPeersDoNotOccur redoes reports of other tools about loops and conditions in configurations.
func TestFaultsOfPeersDoNotOccur(t *testing.T) {
	t.Parallel()
	t.Run("kro#417: a block whose condition is false is evaluated", func(t *testing.T) {
		t.Parallel()
		text := head + "vars: {berries: {type: list(string)}}\nresources:\n" +
			"  - {type: s3, name: \"example-${vars.berries[2]}\", when: size(vars.berries) >= 3}\n" +
			"  - {type: ec2, name: web, size: t3.micro, key_name: \"${vars.berries[2]}\", for_each: \"${vars.berries}\", when: size(vars.berries) > 2}\n"
		for set, want := range map[string]int{"berries=[]": 0, "berries=[a, b]": 0, "berries=[a, b, c]": 4} {
			in, err := loadWith(text, func(o *config.Options) { o.Set = []string{set} })
			if err != nil || len(in.Resources) != want {
				t.Errorf("%s: %d resources, not %d: %v", set, len(in.Resources), want, err)
			}
		}
	})
	t.Run("kro#1339: the order of a map decides what is valid", func(t *testing.T) {
		t.Parallel()
		var entries []string
		for i := range 20 {
			entries = append(entries, fmt.Sprintf("k%d: {n: %d}", i, i))
		}
		text := head + "vars: {all: {default: {" + strings.Join(entries, ", ") + ", bad: {}}}}\nresources:\n" +
			"  - {type: ec2, name: web, size: t3.micro, tags: {first: \"${vars.all.map(k, k)[0]}\", " +
			"any: \"${vars.all.exists(k, v, k == 'k3' && v.n == 3)}\", text: \"${json(vars.all)}\"}}\n" +
			"  - {type: ec2, name: job, size: t3.micro, tags: {all: \"${vars.all.all(k, v, v.n >= 0)}\"}}\n"
		var first string
		for n := range 50 {
			_, err := loadWith(text, nil)
			if err == nil {
				t.Fatal("a missing key is accepted")
			}
			if n == 0 {
				first = err.Error()
			}
			if diff := cmp.Diff(first, err.Error()); diff != "" {
				t.Fatal(diff)
			}
		}
		if !strings.Contains(first, "ec2/job") || strings.Contains(first, "ec2/web") {
			t.Error(first)
		}
	})
	t.Run("helm#8632: a missing parent of a value is a null pointer in rendered text", func(t *testing.T) {
		t.Parallel()
		text := head + "vars:\n  app: {default: {name: shop}}\nresources:\n  - type: ec2\n    name: web\n    size: ${vars.app.image.size}\n"
		_, err := loadWith(text, nil)
		for _, want := range []string{`vars.app has no key "image"; it has name`, "ovi.yaml:9:", "(ec2/web)"} {
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%v, want %s", err, want)
			}
		}
		text = strings.ReplaceAll(text, "${vars.app.image.size}", "\"${has(vars.app.image) && has(vars.app.image.size) ? vars.app.image.size : 't3.micro'}\"")
		if in, err := loadWith(text, nil); err != nil || !strings.Contains(fmt.Sprint(in.Resources), "t3.micro") {
			t.Errorf("%v, %v", in.Resources, err)
		}
	})
	t.Run("terraform#14275: an element that leaves a list moves all behind it", func(t *testing.T) {
		t.Parallel()
		text := head + "vars: {names: [a, b, c, d]}\nresources:\n" +
			"  - {type: ec2, name: web, for_each: \"${vars.names}\", size: t3.micro, tags: {role: \"${each.value}\"}}\n"
		all := mustLoad(t, text).Resources
		left, err := loadWith(text, func(o *config.Options) { o.Set = []string{"names=[d, c, a]"} })
		if err != nil {
			t.Fatal(err)
		}
		want := slices.DeleteFunc(slices.Clone(all), func(r resource.Desired) bool { return r.Ref.Name == "web-b" })
		if diff := cmp.Diff(want, left.Resources); diff != "" {
			t.Error(diff)
		}
	})
}

package config_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/source/config"
)

// TestSecretsAndLateValuesShapeNothing: a secret and a value that is known after apply are refused, without being shown,
// in each place that is recorded or decides what exists.
func TestSecretsAndLateValuesShapeNothing(t *testing.T) {
	t.Parallel()
	places := map[string]string{
		"name":             "  - {type: s3, name: \"x-${X}\"}\n",
		"name of each":     "  - {type: s3, name: \"x-${each.key}-${X}\", for_each: [a]}\n",
		"key":              "  - {type: s3, name: x, for_each: [\"${X}\"]}\n",
		"key in a text":    "  - {type: s3, name: x, for_each: [\"a${X}\"]}\n",
		"for_each":         "  - {type: s3, name: x, for_each: \"${X}\"}\n",
		"condition":        "  - {type: s3, name: x, when: X == 'a'}\n",
		"condition alone":  "  - {type: s3, name: x, when: X}\n",
		"condition each":   "  - {type: s3, name: x, for_each: [a], when: X == each.key}\n",
		"function":         "  - {type: ec2, name: x, size: \"${X.lowerAscii()}\"}\n",
		"operator":         "  - {type: ec2, name: x, size: \"${X + 'a'}\"}\n",
		"ternary":          "  - {type: ec2, name: x, size: \"${X == 'a' ? 't3.micro' : 't3.small'}\"}\n",
		"length":           "  - {type: ec2, name: x, count: \"${size(X)}\", size: t3.micro}\n",
		"json":             "  - {type: ec2, name: x, size: \"${json(X)}\"}\n",
		"base64":           "  - {type: ec2, name: x, size: \"${base64(X)}\"}\n",
		"list":             "  - {type: ec2, name: x, size: \"${[X].join()}\"}\n",
		"count":            "  - {type: ec2, name: x, count: \"${X}\", size: t3.micro}\n",
		"type":             "  - {type: \"${X}\", name: x}\n",
		"location":         "  - {type: s3, name: x, region: \"${X}\"}\n",
		"group":            "  - {type: s3, name: x, for_each: [a], group: \"${X}\"}\n",
		"depends_on":       "  - {type: s3, name: x, depends_on: [\"${X}\"]}\n",
		"blessed":          "  - {type: s3, name: x, blessed: \"${X}\"}\n",
		"owner":            "  - {type: s3, name: x, owner: \"${X}\"}\n",
		"was":              "  - {type: s3, name: x, was: \"${X}\"}\n",
		"tag":              "  - {type: s3, name: x, tags: {a: \"${X}\"}}\n",
		"tag in a text":    "  - {type: s3, name: x, tags: {a: \"b${X}\"}}\n",
		"inner reference":  "  - {type: ec2, name: x, size: \"${rds/${X}.size}\"}\n",
		"key of a map":     "  - {type: ec2, name: x, size: \"${{X: 'a'}['a']}\"}\n",
		"through a local":  "  - {type: s3, name: x, when: locals.through == 'a'}\n",
		"inside of a list": "  - {type: s3, name: x, when: \"'a' in locals.list\"}\n",
		"lookup":           "  - {type: vpc, name: x, lookup: {id: \"${X}\"}}\n",
	}
	for value, local := range map[string]string{
		"secret": "${vars.pw}", "late": "${rds/db.id}", "secret of a list": "${vars.list[0]}", "secret of a map": "${vars.of.a}",
	} {
		for place, block := range selected(places) {
			text := head + "vars: {pw: {type: secret}, list: {type: list(secret)}, of: {type: map(secret)}}\nlocals: {x: \"" + local +
				"\", through: \"${locals.x}\", list: [\"${locals.x}\"]}\nresources:\n" +
				"  - {type: rds, name: db, size: db.t3.micro, password: \"${env:DB_PASSWORD}\"}\n" +
				strings.ReplaceAll(block, "X", "locals.x")
			_, err := loadWith(text, func(o *config.Options) {
				o.Set = []string{"pw=" + fakeSecret, "list=[" + fakeSecret + "]", "of={a: " + fakeSecret + "}"}
			})
			switch {
			case err == nil:
				t.Errorf("a %s value is accepted as %s", value, place)
			case strings.Contains(err.Error(), fakeSecret):
				t.Errorf("%s shows the secret: %v", place, err)
			}
		}
	}
}

// selected returns the places, and each with a value that an expression selects by an index or a condition.
func selected(places map[string]string) map[string]string {
	out := maps.Clone(places)
	for place, block := range places {
		out[place+", by index"] = strings.ReplaceAll(block, "X", "[X][0]")
		out[place+", by condition"] = strings.ReplaceAll(block, "X", "(1 < 2 ? X : X)")
	}
	return out
}

// TestOpaqueValuesAreSelected: which of several values an attribute has is known when the configuration is read.
func TestOpaqueValuesAreSelected(t *testing.T) {
	t.Parallel()
	head := head + "stack: shop\nenvironments: {dev: {}, prod: {}}\nlocals:\n" +
		"  nets: [\"${subnet/a}\", \"${subnet/b}\"]\n  by: {x: \"${subnet/b}\", pw: \"${env:DB_PASSWORD}\"}\n" +
		"resources:\n  - {type: vpc, name: main, cidr: 10.0.0.0/16}\n" +
		"  - {type: subnet, name: a, vpc: main, cidr: 10.0.1.0/24}\n  - {type: subnet, name: b, vpc: main, cidr: 10.0.2.0/24}\n"
	for value, want := range map[string]string{
		"locals.nets[0]": "a", "locals.nets[1]": "b", "locals.nets[environment == 'dev' ? 0 : 1]": "a", "locals.by.x": "b",
		"locals.by['x']": "b", "environment == 'prod' ? locals.by.x : locals.nets[0]": "a", "[locals.by, 1][0].x": "b",
		"(locals.nets + [locals.by.x])[2]": "b", "locals.nets[index % 2 + 1 - 1]": "a", "locals.nets[1 - index]": "b",
	} {
		block := "  - {type: ec2, name: web, count: 1, size: t3.micro, subnet: \"${" + value + "}\"}\n"
		intent, err := loadWith(head+block, func(o *config.Options) { o.Environment = "dev" })
		if err != nil {
			t.Errorf("%s: %v", value, err)
			continue
		}
		i := slices.IndexFunc(intent.Resources, func(r resource.Desired) bool { return r.Ref.Kind == "ec2" })
		if got := fmt.Sprint(intent.Resources[i].Attrs); !strings.Contains(got, "subnet/"+want) || strings.Contains(got, "subnet/"+map[string]string{"a": "b", "b": "a"}[want]) {
			t.Errorf("%s is %s, not subnet/%s", value, got, want)
		}
	}
	for value, want := range map[string]string{
		"locals.far[index]": "stack/net.ids[0]", "locals.far.b": "stack/net.ids.b", "locals.far['b'][1]": "stack/net.ids.b[1]",
		"[locals.far][0][environment == 'dev' ? 'x' : 'y']": "stack/net.ids.x",
	} {
		far := strings.Replace(head, "locals:\n", "locals:\n  far: \"${stack/net.ids}\"\n", 1)
		block := "  - {type: ec2, name: web, count: 1, size: t3.micro, subnet: \"${" + value + "}\"}\n"
		intent, err := loadWith(far+block, func(o *config.Options) { o.Environment = "dev" })
		if err != nil || !strings.Contains(fmt.Sprint(intent.Resources), want) {
			t.Errorf("%s: %v, %v, not %s", value, intent.Resources, err, want)
		}
	}
	for value, want := range map[string]string{
		"locals.nets[2]": "index 2 is outside a list of 2", "locals.nets['x']": "has no key",
		"locals.nets[locals.by.pw]": "must be an int, got a secret", "size(locals.nets)": "known after apply",
		"locals.nets[0] == locals.nets[1]": "known after apply", "locals.nets[0] + 'x'": "known after apply",
		"locals.by.pw == 'a' ? locals.nets[0] : locals.nets[1]": "locals.by.pw is a secret",
		"[locals.nets[0]].filter(x, x == 'a')[0]":               "known after apply",
	} {
		block := "  - {type: ec2, name: web, size: t3.micro, subnet: \"${" + value + "}\"}\n"
		_, err := loadWith(head+block, func(o *config.Options) { o.Environment = "dev" })
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", value, err, want)
		}
	}
}

// TestFilesAndBlocksInAnyOrder divides blocks among files, and permutes them and the keys of their maps.
func TestFilesAndBlocksInAnyOrder(t *testing.T) {
	blocks := []string{
		"  - {type: vpc, name: main, cidr: \"${vars.net}\"}\n",
		"  - {type: subnet, name: app, for_each: \"${locals.nets}\", vpc: main, cidr: \"${each.value}\"}\n",
		"  - {type: ec2, name: web, for_each: \"${vars.zones}\", count: 2, size: t3.micro, subnet: \"app-${each.key}\", " +
			"tags: {n: \"${index}\"}}\n",
		"  - {type: s3, name: example-logs, depends_on: [web, \"none?\"], tags: {all: \"${locals.nets.map(k, k).join()}\"}}\n",
		"  - {type: rds, name: db, when: environment == 'dev', size: db.t3.micro, password: \"${env:DB_PASSWORD}\"}\n",
	}
	var want string
	rapid.Check(t, func(rt *rapid.T) {
		zones := rapid.Permutation([]string{"a", "b", "c"}).Draw(rt, "zones")
		envs := rapid.Permutation([]string{"dev: {}", "prod: {vars: {net: 10.9.0.0/16}}"}).Draw(rt, "environments")
		files := []string{"a.yaml", "b.yaml", "c.yaml"}
		texts := map[string]string{}
		for _, f := range files {
			texts[f] = head + "resources:\n"
		}
		shared := "stack: s\nvars: {net: 10.0.0.0/16, zones: [" + strings.Join(zones, ", ") + "]}\nlocals:\n  nets: " +
			"\"${vars.zones.transformMap(i, z, z).transformMapEntry(i, z, {z: cidr.subnet(vars.net, 8, " +
			"{'a': 0, 'b': 1, 'c': 2}[z])})}\"\nenvironments: {" + strings.Join(envs, ", ") + "}\n"
		for _, b := range rapid.Permutation(blocks).Draw(rt, "blocks") {
			texts[rapid.SampledFrom(files).Draw(rt, "file")] += b
		}
		fs := fstest.MapFS{}
		with := rapid.SampledFrom(files).Draw(rt, "shared")
		for _, f := range files {
			text := strings.Replace(texts[f], "resources:\n", "resources:\n", 1)
			if strings.HasSuffix(text, "resources:\n") {
				text = strings.TrimSuffix(text, "\n") + " []\n"
			}
			if f == with {
				text = strings.Replace(text, "version: v1\n", "version: v1\n"+shared, 1)
			}
			fs["d/"+f] = &fstest.MapFile{Data: []byte(text)}
		}
		opts := options(fs)
		opts.Environment = "dev"
		in, err := loadFrom(config.New([]string{"d"}, opts))
		if err != nil {
			rt.Fatalf("%v", err)
		}
		got := described(rt, in)
		if want == "" {
			want = got
		}
		if diff := cmp.Diff(want, got); diff != "" || len(in.Resources) != 12 {
			rt.Fatalf("%d resources\n%s", len(in.Resources), diff)
		}
	})
}

// TestRemovedKeysTouchTheirResourcesAlone removes drawn keys of a map: what is left is as before.
func TestRemovedKeysTouchTheirResourcesAlone(t *testing.T) {
	keys := []string{"a", "b", "c", "d", "e"}
	configured := func(rt *rapid.T, keys []string) resource.Intent {
		var entries []string
		for _, k := range keys {
			entries = append(entries, fmt.Sprintf("%s: {size: t3.%s, n: %d}", k, k, len(k)))
		}
		return mustLoad(rt, head+"vars: {all: {default: {"+strings.Join(entries, ", ")+"}}}\nresources:\n"+
			"  - {type: ec2, name: web, for_each: \"${vars.all}\", count: 2, size: \"${each.value.size}\", "+
			"tags: {n: \"${each.value.n}-${index}\"}}\n"+
			"  - {type: ec2, name: \"job-${each.key}\", group: job, for_each: \"${vars.all}\", size: t3.micro}\n")
	}
	rapid.Check(t, func(rt *rapid.T) {
		left := rapid.SliceOfNDistinct(rapid.SampledFrom(keys), 1, len(keys), rapid.ID[string]).Draw(rt, "left")
		all := configured(rt, keys).Resources
		want := slices.DeleteFunc(all, func(r resource.Desired) bool {
			return !slices.Contains(left, strings.Split(r.Ref.Name, "-")[1])
		})
		if diff := cmp.Diff(want, configured(rt, left).Resources); diff != "" {
			rt.Fatalf("%s", diff)
		}
	})
}

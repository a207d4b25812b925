package chart_test

import (
	"context"
	"flag"
	"io/fs"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/ovi-project/ovi/provider/podman"
	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/resource/position"
	"github.com/ovi-project/ovi/source"
	"github.com/ovi-project/ovi/source/chart"
	"github.com/ovi-project/ovi/source/sourcetest"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// fakeSecret is what no message shows; in base64 it is fakeBase64.
const (
	fakeSecret = "not-a-real-password-7c1f"
	fakeBase64 = "bm90LWEtcmVhbC1wYXNzd29yZC03YzFm"
)

// kinds are the schemas of one provider.
type kinds []resource.Kind

func (s kinds) Kind(provider, kind string) (resource.Kind, bool) {
	for _, k := range s {
		if k.Provider == provider && k.Name == kind {
			return k, true
		}
	}
	return resource.Kind{}, false
}
func (s kinds) Kinds(string) []resource.Kind { return s }
func (s kinds) Providers() []string          { return []string{podman.Name} }

func options(files fs.FS) chart.Options {
	return chart.Options{
		Provider: podman.Name, Files: files,
		Options: source.Options{
			Schemas: kinds(podman.Kinds()),
			Secrets: sourcetest.Secrets{},
		},
		Env: func(name string) (string, bool) { return fakeSecret, name == "DB_PASSWORD" },
	}
}

// archive is the files of a txtar text, below c/.
func archive(a *txtar.Archive) fstest.MapFS {
	files := fstest.MapFS{}
	for _, f := range a.Files {
		files["c/"+f.Name] = &fstest.MapFile{Data: f.Data}
	}
	return files
}

// files are those of a txtar text.
func files(text string) fstest.MapFS { return archive(txtar.Parse([]byte(text))) }

// load reads the chart c.
func load(opts chart.Options) (resource.Intent, error) {
	intents, err := source.Load(context.Background(), chart.New([]string{"c"}, opts))
	if err != nil {
		return resource.Intent{}, err
	}
	return intents[0], nil
}

func mustLoad(t *testing.T, opts chart.Options) resource.Intent {
	t.Helper()
	in, err := load(opts)
	if err != nil {
		t.Fatal(err)
	}
	return in
}

const shop = `
-- Chart.yaml --
name: shop
version: 1.2.3
-- values.yaml --
tag: "1"
db: {password: bm90LWEtcmVhbC1wYXNzd29yZC03YzFm}
-- app.env --
# of the shop
LOG_LEVEL=info
MODE=plain
-- templates/_names.tpl --
{{ define "image" }}localhost/shop:{{ .Values.tag }}{{ end }}
-- templates/net.yaml --
apiVersion: cutepod/v1alpha0
kind: CuteNetwork
metadata: {name: back}
---
apiVersion: cutepod/v1alpha0
kind: CuteVolume
metadata: {name: data, labels: {team: shop}}
spec: {hostPath: /srv/data, type: bind}
-- templates/db.yaml --
apiVersion: cutepod/v1alpha0
kind: CuteSecret
metadata: {name: db}
spec:
  type: opaque
  data: {password: {{ .Values.db.password }}}
  stringData: {token: "${env:DB_PASSWORD}"}
---
apiVersion: cutepod/v1alpha0
kind: CuteContainer
metadata: {name: db}
spec:
  image: {{ include "image" . }}
  networks: [back]
  volumes: [{name: data, mountPath: /data, readOnly: true}]
  secrets: [{name: db, env: true}]
  resources: {limits: {cpu: 500m, memory: 512Mi}}
  health: {type: exec, command: [/bin/true], intervalSeconds: 5}
-- templates/web.yaml --
apiVersion: cutepod/v1alpha0
kind: CuteContainer
metadata: {name: web, public: ["file:app.env"]}
spec:
  image: {{ include "image" . }}
  networks: [back]
  env:
    - name: DB
      value: tcp://${container/db}:5432/
    - name: MODE
      value: fast
  envFile: app.env
---
apiVersion: cutepod/v1alpha0
kind: CuteContainer
metadata: {name: worker}
spec:
  image: {{ include "image" . }}
---
apiVersion: cutepod/v1alpha0
kind: CutePod
metadata: {name: jobs}
spec:
  containers: [worker]
`

func ref(kind, name string) resource.Ref {
	return resource.Ref{Stack: "shop", Provider: podman.Name, Location: source.DefaultLocation, Kind: kind, Name: name}
}

func find(t *testing.T, in resource.Intent, kind, name string) resource.Desired {
	t.Helper()
	for _, d := range in.Resources {
		if d.Ref.Kind == kind && d.Ref.Name == name {
			return d
		}
	}
	t.Fatalf("no %s/%s", kind, name)
	return resource.Desired{}
}

func shown(v resource.Value) string { return string(resource.AppendJSON(nil, v)) }

func TestAChartIsReadWithItsValues(t *testing.T) {
	in := mustLoad(t, options(files(shop)))
	if in.Stack != "shop" || in.Source != "c" || !strings.HasPrefix(in.Version, "sha256:") {
		t.Errorf("stack %q, source %q, version %q", in.Stack, in.Source, in.Version)
	}
	web := find(t, in, "container", "web")
	env, _ := web.Attrs.Get("env")
	if got, want := shown(env), `{"DB":"tcp://db:5432/","LOG_LEVEL":"info","MODE":"fast"}`; got != want {
		t.Errorf("env is %s, not %s", got, want)
	}
	if diff := cmp.Diff([]resource.Ref{ref("container", "db"), ref("network", "back")}, web.DependsOn); diff != "" {
		t.Errorf("web depends on (-want +got):\n%s", diff)
	}
	if at := (position.Position{File: "c/templates/web.yaml", Line: 1, Column: 1}); web.At != at {
		t.Errorf("web is at %v, not %v", web.At, at)
	}
	image, _ := web.Attrs.Get("image")
	if shown(image) != `"localhost/shop:1"` {
		t.Errorf("image is %s", shown(image))
	}
	worker := find(t, in, "container", "worker")
	if pod, _ := worker.Attrs.Get("pod"); shown(pod) == "null" || worker.DependsOn[0] != ref("pod", "jobs") {
		t.Errorf("worker is in pod %s and depends on %v", shown(pod), worker.DependsOn)
	}
	data := find(t, in, "volume", "data")
	labels, _ := data.Attrs.Get("labels")
	if got, want := shown(labels), `{"cutepod.io/chart":"shop","cutepod.io/version":"1.2.3","team":"shop"}`; got != want {
		t.Errorf("labels are %s, not %s", got, want)
	}
	if diff := cmp.Diff([]string{"labels.cutepod.io/chart", "labels.cutepod.io/version"}, data.Ignore); diff != "" {
		t.Error(diff)
	}
}

func TestASecretIsDecodedAndHidden(t *testing.T) {
	in := mustLoad(t, options(files(shop)))
	data, _ := find(t, in, "secret", "db").Attrs.Get("data")
	for _, key := range []string{"password", "token"} {
		v, _ := data.(resource.Attrs).Get(key)
		s, ok := v.(resource.Secret)
		if !ok || s.Reveal() != fakeSecret {
			t.Errorf("%s is %T", key, v)
		}
	}
	versions := func(o chart.Options) (with, another string) {
		o.Set = []string{"db.password=YW4="}
		with = mustLoad(t, o).Version
		o.Set = []string{"db.password=YW5vdGhlcg=="}
		return with, mustLoad(t, o).Version
	}
	o := options(files(shop))
	if one, other := versions(o); one == other || one == in.Version {
		t.Errorf("another secret is no other version than %s", one)
	}
	o.Secrets = undigested{}
	if one, other := versions(o); one != other {
		t.Error("the version of the stack is a digest without a key of a secret")
	}
}

// undigested is a digester all of whose digests are equal.
type undigested struct{ sourcetest.Secrets }

func (undigested) Digest(resource.Ref, string, string) resource.Digest { return "digest" }

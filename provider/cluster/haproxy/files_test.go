package haproxy

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const byHand = `# a note of the user's
backend be_ovi_dev
	# ovi {"ref":"a"}
	option httpchk
	server s1 10.0.0.1:30080 check inter 2s

backend be_ovi_strange
	server other 10.0.0.9:80
backend other
	server s1 10.0.0.2:80
`

func TestOtherTextOfTheFilesStays(t *testing.T) {
	have := files{byHand, "# mine\ndev be_ovi_dev\nold be_old\nstale be_ovi_stale\n"}
	routes := have.routes()
	want := map[string]Route{"dev": {Name: "dev", Address: "10.0.0.1", Port: 30080, Note: `{"ref":"a"}`}}
	if diff := cmp.Diff(want, routes); diff != "" {
		t.Fatal(diff)
	}
	if got := parse(byHand).with(routes); got != byHand {
		t.Errorf("without a change the file becomes\n%s", cmp.Diff(byHand, got))
	}
	routes["dev"] = Route{Name: "dev", Address: "10.0.0.7", Port: 30081, Note: `{"ref":"b"}`}
	routes["uat"] = Route{Name: "uat", Address: "10.0.0.8", Port: 30080, Off: true}
	changed := strings.NewReplacer(`"a"`, `"b"`, "10.0.0.1:30080",
		"10.0.0.7:30081").Replace(byHand) + "backend be_ovi_uat\n\tserver s1 10.0.0.8:30080\n"
	if diff := cmp.Diff(changed, parse(byHand).with(routes)); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff("# mine\nold be_old\ndev be_ovi_dev\n", mapWith(have.mapping, routes)); diff != "" {
		t.Error(diff)
	}
	delete(routes, "dev")
	delete(routes, "uat")
	if diff := cmp.Diff("# a note of the user's\nbackend be_ovi_strange\n\tserver other 10.0.0.9:80\nbackend "+
		"other\n\tserver s1 10.0.0.2:80\n",
		parse(byHand).with(routes)); diff != "" {
		t.Error(diff)
	}
}

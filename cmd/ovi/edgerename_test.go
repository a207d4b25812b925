package main

import (
	"fmt"
	"strings"
	"testing"
)

// TestRenamesInASite: on a real node with Podman, `was` of a deployment, and `moved` and `removed` of its site, keep the
// containers, over two names and where a former id is used again. What is misspelled, or left next to its old file,
// changes nothing. A deployment that stays is no longer managed, and nothing is done to it.
func TestRenamesInASite(t *testing.T) {
	s := newEdgeSite(t)
	deployment := func(id, was string) string {
		if was != "" {
			was = "was: " + was + "\n"
		}
		return fmt.Sprintf("id: %s\nversion: \"1\"\nimage: localhost/app:1\nnodes: all\n%s", id, was)
	}
	have := map[string]bool{} // the deployments in Git
	// commit replaces the deployments by "a", or by "b<a" with the former id a.
	commit := func(top, all string) {
		files := map[string]string{"deployments/berlin/site.yaml": "nodes: [{name: n1}]\n" + top}
		for id := range have {
			files["deployments/berlin/"+id+".yaml"] = ""
		}
		clear(have)
		for d := range strings.FieldsSeq(all) {
			id, was, _ := strings.Cut(d, "<")
			files["deployments/berlin/"+id+".yaml"], have[id] = deployment(id, was), true
		}
		s.repo.Commit(files)
	}
	ids := func() string {
		return strings.ReplaceAll(s.host.Podman(t, "ps", "-a", "--format", "{{.ID}} {{.Names}}", "--sort", "created"), "\n", ", ")
	}
	told := func(want string, args ...string) {
		t.Helper()
		out := ""
		defer s.onFailure(strings.Join(args, " ")+" prints: %s", &out)
		eventually(t, want, func() bool {
			out = strings.Join(strings.Fields(s.read(args...)), " ")
			return strings.Contains(out, want)
		})
	}
	moved := func(names string) {
		t.Helper()
		told("moved from berlin:deployment/"+names+" by", "audit", "log", "--type", "moved")
	}
	commit("", "a x")
	s.orchestrator()
	s.enroll()
	out := ""
	defer s.onFailure("ovi status: %s", &out)
	eventually(t, "both are healthy", func() bool {
		out = s.read("status", "--output", "json")
		return strings.Count(out, `"health":"healthy"`) == 2
	})
	before := ids()
	commit("", "b<a x")
	moved("a to berlin:deployment/b")
	commit("", "b<a y<xx")
	told("stack berlin: 2 conflicts", "status")
	commit("", "b<a x y<x")
	told("stack berlin: 1 conflict", "status")
	commit("", "c<b x")
	moved("b to berlin:deployment/c")
	commit("moved: [{from: c, to: d}, {from: d, to: e}]\n", "e x")
	moved("c to berlin:deployment/e")
	commit("removed: [{ref: xx, keep: true}]\n", "e")
	told("stack berlin: 1 conflict", "status")
	commit("removed: [{ref: x, keep: true}]\n", "e")
	told("forgotten by", "audit", "log")
	commit("", "e a")
	told("deployment/a", "audit", "log", "--type", "blocked")
	if now := ids(); now != before {
		t.Errorf("the containers are %s, were %s", now, before)
	}
}

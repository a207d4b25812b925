package main

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// tf plans n terraform_data in a process of its own. The state file is written as an apply would,
// so there are no changes.
func tf(dir string, n int) (sample, error) {
	home := filepath.Join(dir, "tf-"+strconv.Itoa(n))
	if _, err := os.Stat(home); err != nil {
		if err := writeTerraform(home, n); err != nil {
			return sample{}, err
		}
		if _, err := measure(terraform(home, "init")); err != nil {
			return sample{}, err
		}
	}
	// Exit status 2, changes, is an error here.
	return measure(terraform(home, "plan", "-detailed-exitcode", "-lock=false"))
}

func terraform(home string, args ...string) *exec.Cmd {
	cmd := exec.Command("terraform", append(args, "-input=false", "-no-color")...)
	cmd.Dir = home
	cmd.Env = append(os.Environ(), "CHECKPOINT_DISABLE=1")
	return cmd
}

func writeTerraform(home string, n int) error {
	if err := os.MkdirAll(home, 0o755); err != nil {
		return err
	}
	if err := write(filepath.Join(home, "main.tf"), func(w *bufio.Writer) {
		for i := range n {
			fmt.Fprintf(w, "resource \"terraform_data\" \"thing_%07d\" {\n  input = {\n", i)
			for _, f := range fields(i) {
				fmt.Fprintf(w, "    %s = %s\n", f.name, f.value)
			}
			fmt.Fprint(w, "    tags = {\n")
			for _, f := range tagsOf(i) {
				fmt.Fprintf(w, "      %s = %s\n", f.name, f.value)
			}
			fmt.Fprint(w, "    }\n  }\n}\n")
		}
	}); err != nil {
		return err
	}
	return write(filepath.Join(home, "terraform.tfstate"), func(w *bufio.Writer) {
		fmt.Fprint(w, `{"version":4,"terraform_version":"1.11.4","serial":1,`+
			`"lineage":"00000000-0000-4000-8000-000000000000",`+
			`"outputs":{},"resources":[`)
		for i := range n {
			if i > 0 {
				fmt.Fprint(w, ",")
			}
			fmt.Fprintf(w, `{"mode":"managed","type":"terraform_data","name":"thing_%07d",`+
				`"provider":"provider[\"terraform.io/builtin/terraform\"]",`+
				`"instances":[{"schema_version":0,"attributes":{"id":"00000000-0000-4000-8000-%012d",`+
				`"input":%s,"output":%s,"triggers_replace":null},`+
				`"sensitive_attributes":[]}]}`,
				i, i, state(i), state(i))
		}
		fmt.Fprint(w, `],"check_results":null}`)
	})
}

type field struct{ name, value, typ string }

// fields are the nine attributes of ovi's configuration, in order of name.
func fields(i int) []field {
	out := []field{
		{"address", strconv.Quote(address(i)), "string"},
		{"encrypted", "true", "bool"},
		{"price", "0.25", "number"},
		{"size", "20", "number"},
	}
	for _, w := range words {
		out = append(out, field{w[0], strconv.Quote(w[1]), "string"})
	}
	slices.SortFunc(out, func(a, b field) int { return strings.Compare(a.name, b.name) })
	return out
}

func tagsOf(i int) []field {
	var out []field
	for _, l := range labels {
		out = append(out, field{strconv.Quote(l[0]), strconv.Quote(l[1]), "string"})
	}
	return append(out, field{`"unit"`, strconv.Quote(name(i)), "string"})
}

// state is the input of a resource in the state file.
func state(i int) string {
	var values, types []string
	for _, f := range fields(i) {
		values, types = append(values, fmt.Sprintf("%q:%s", f.name, f.value)),
			append(types, fmt.Sprintf("%q:%q", f.name, f.typ))
	}
	var tags, tagTypes []string
	for _, f := range tagsOf(i) {
		tags, tagTypes = append(tags, f.name+":"+f.value), append(tagTypes, f.name+`:"string"`)
	}
	return fmt.Sprintf(`{"value":{%s,"tags":{%s}},"type":["object",{%s,"tags":["object",{%s}]}]}`,
		strings.Join(values, ","), strings.Join(tags, ","), strings.Join(types, ","), strings.Join(tagTypes, ","))
}

func write(name string, fill func(*bufio.Writer)) error {
	f, err := os.Create(name)
	if err != nil {
		return err
	}
	w := bufio.NewWriter(f)
	fill(w)
	return errors.Join(w.Flush(), f.Close())
}

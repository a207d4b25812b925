package main

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
)

// tf plans n terraform_data in a process of its own. They were applied before, by writing
// the state file that an apply writes: nothing is to be done.
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
	// Exit status 2 would be changes, which is not what is measured here.
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
			fmt.Fprintf(w, "resource \"terraform_data\" \"disk_%07d\" {\n  input = {\n    size        = 20\n    environment = \"prod\"\n    team        = \"platform\"\n  }\n}\n", i)
		}
	}); err != nil {
		return err
	}
	return write(filepath.Join(home, "terraform.tfstate"), func(w *bufio.Writer) {
		const value = `{"value":{"environment":"prod","size":20,"team":"platform"},"type":["object",{"environment":"string","size":"number","team":"string"}]}`
		fmt.Fprint(w, `{"version":4,"terraform_version":"1.11.4","serial":1,"lineage":"00000000-0000-4000-8000-000000000000","outputs":{},"resources":[`)
		for i := range n {
			if i > 0 {
				fmt.Fprint(w, ",")
			}
			fmt.Fprintf(w, `{"mode":"managed","type":"terraform_data","name":"disk_%07d","provider":"provider[\"terraform.io/builtin/terraform\"]","instances":[{"schema_version":0,"attributes":{"id":"00000000-0000-4000-8000-%012d","input":%s,"output":%s,"triggers_replace":null},"sensitive_attributes":[]}]}`, i, i, value, value)
		}
		fmt.Fprint(w, `],"check_results":null}`)
	})
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

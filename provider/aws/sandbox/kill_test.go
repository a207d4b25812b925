package sandbox_test

import (
	"bufio"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/ovi-project/ovi/provider/aws/sandbox"
)

const childEnv = "AWSFAKE_TEST_CHILD"

// TestChild is the process that TestKilledAtAnyMoment kills: it makes instances
// under tokens of its own until it ends.
func TestChild(t *testing.T) {
	path := os.Getenv(childEnv)
	if path == "" {
		t.Skip("runs as a child of TestKilledAtAnyMoment")
	}
	c := openFile(t, path)
	for i := range 500 {
		run(t, ec2Of(c), fmt.Sprintf("tok-%d", i))
		fmt.Println("made", i)
	}
}

// TestKilledAtAnyMoment kills two processes that write one file, again and
// again: the file stays whole, and no token ever makes two instances.
func TestKilledAtAnyMoment(t *testing.T) {
	path := filepath.Join(t.TempDir(), "cloud")
	most := 0
	for round := range 8 {
		var children []*exec.Cmd
		for range 2 {
			child := exec.Command(os.Args[0], "-test.run=^TestChild$")
			child.Env = append(os.Environ(), childEnv+"="+path)
			out, err := child.StdoutPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := child.Start(); err != nil {
				t.Fatal(err)
			}
			if line, err := bufio.NewReader(out).ReadString('\n'); err != nil { // it works; from here on it may die
				t.Fatalf("a child said %q: %v", line, err)
			}
			children = append(children, child)
		}
		time.Sleep(time.Duration(rand.IntN(80)) * time.Millisecond)
		for _, child := range children {
			_ = child.Process.Kill() // it may have ended already
			_ = child.Wait()
		}
		c, err := sandbox.Open(path, sandbox.WithSettle(0))
		if err != nil {
			t.Fatalf("round %d: %v", round, err)
		}
		tokens := map[string]bool{}
		out := ok(ec2Of(c).DescribeInstances(ctx, nil))(t)
		n := 0
		for _, r := range out.Reservations {
			for _, in := range r.Instances {
				n++
				tokens[*in.ClientToken] = true
			}
		}
		if n != len(tokens) || n < most {
			t.Fatalf("round %d: %d instances under %d tokens, %d before", round, n, len(tokens), most)
		}
		most = n
		c.Close()
	}
	if most == 0 {
		t.Error("the children made nothing: killed too early to show anything")
	}
}

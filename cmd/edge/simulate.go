package edge

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	urfave "github.com/urfave/cli/v2"

	"github.com/ovi-project/ovi/cmd/cli"
	"github.com/ovi-project/ovi/cmd/command"
	"github.com/ovi-project/ovi/cmd/edge/simulate"
	"github.com/ovi-project/ovi/provider/edge/identity"
	"github.com/ovi-project/ovi/render"
)

func edgeSimulateCommand(p *command.Process) *urfave.Command {
	return &urfave.Command{
		Name:  "simulate",
		Usage: "Load an orchestrator with virtual nodes, and measure it",
		Description: "It starts an orchestrator of its own, on one core and on loopback, in a temporary folder, and as " +
			"many\n" +
			"virtual nodes, each with a certificate and a connection. It deploys a version, measures the orchestrator\n" +
			"at rest, deploys another version, cuts all connections at once, and reports how long each took, and how\n" +
			"long others waited for an answer of the orchestrator while its nodes came back. It runs in real time;\n" +
			"`ovi edge rehearse` goes through a rollout on virtual time.",
		Flags: []urfave.Flag{
			&urfave.IntFlag{Name: "nodes", Usage: "how many nodes", Value: 1000},
			&urfave.DurationFlag{Name: "beat", Usage: "each node gives a sign of life every `DURATION`", Value: 5 * time.Second},
			&urfave.DurationFlag{Name: "rest", Usage: "measure the orchestrator at rest for `DURATION`", Value: time.Minute},
			&urfave.DurationFlag{Name: "interval", Usage: "the interval of the orchestrator", Value: edgeInterval},
		},
		Action: p.Action(edgeSimulate),
	}
}

// simulateOptions are the options of `ovi edge simulate`.
type simulateOptions struct {
	nodes                int
	beat, rest, interval time.Duration
}

func simulateOptionsOf(c *command.Call) simulateOptions {
	return simulateOptions{
		nodes: c.Cmd.Int("nodes"), beat: c.Cmd.Duration("beat"), rest: c.Cmd.Duration("rest"),
		interval: c.Cmd.Duration("interval"),
	}
}

// simulateWait is how long a step of a simulation may take.
const simulateWait = 10 * time.Minute

// simulation is one run.
type simulation struct {
	*command.Call
	simulateOptions
	dir, site string
	fleet     *simulate.Fleet
	lo        *exec.Cmd
}

// edgeFigures are what a simulation measured.
type edgeFigures struct {
	Nodes          int     `json:"nodes"`
	ConnectSeconds float64 `json:"connect_seconds"` // until all nodes were connected
	InstallMedian  float64 `json:"install_median_seconds"`
	InstallWorst   float64 `json:"install_worst_seconds"`
	RestCPU        float64 `json:"rest_cpu_percent"` // of one core
	RestMemory     int64   `json:"rest_memory_bytes"`
	UpdateMedian   float64 `json:"update_median_seconds"` // from the change of the file to running
	UpdateWorst    float64 `json:"update_worst_seconds"`
	StormSeconds   float64 `json:"storm_seconds"`               // until all were connected again
	AnswerMedian   float64 `json:"storm_answer_median_seconds"` // of a request to the orchestrator meanwhile
	AnswerWorst    float64 `json:"storm_answer_worst_seconds"`
	Answers        int     `json:"storm_answers"`    // so many requests were answered
	Unanswered     int     `json:"storm_unanswered"` // and so many not, within 30 s
	PeakMemory     int64   `json:"peak_memory_bytes"`
	Requests       int     `json:"requests"` // that the nodes had in all: one install and one update each
}

func edgeSimulate(c *command.Call) (err error) {
	o := simulateOptionsOf(c)
	if o.nodes < 1 {
		return cli.Usage("use --nodes 1000", "--nodes must be at least 1")
	}
	dir, err := os.MkdirTemp("", "ovi-simulate-*")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	s := &simulation{Call: c, simulateOptions: o, dir: dir, site: filepath.Join(dir, "site")}
	if err := s.prepare(); err != nil {
		return err
	}
	ctx, stop := context.WithCancel(c)
	defer stop()
	if err := s.orchestrator(ctx); err != nil {
		return err
	}
	defer func() { _ = s.lo.Wait() }()
	defer func() { _ = s.lo.Process.Signal(syscall.SIGKILL) }()
	var running sync.WaitGroup
	defer running.Wait()
	defer stop()
	started := time.Now()
	running.Go(func() { s.fleet.Run(ctx) })
	f, err := s.measure(started)
	if err != nil {
		return err
	}
	return s.show(f)
}

// prepare writes the site, and makes the certificates of its nodes.
func (s *simulation) prepare() error {
	var nodes strings.Builder
	nodes.WriteString("nodes:\n")
	authority, err := identity.Open(filepath.Join(s.dir, "data", "edge"), s.Now)
	if err != nil {
		return err
	}
	address, err := freeAddress()
	if err != nil {
		return err
	}
	s.fleet = &simulate.Fleet{Site: "site", Address: address, Beat: s.beat}
	for n := range s.nodes {
		name := fmt.Sprintf("n%05d", n+1)
		config, err := authority.Config("site/" + name)
		if err != nil {
			return err
		}
		s.fleet.Add(name, config)
		fmt.Fprintf(&nodes, "  - {name: %s}\n", name)
	}
	if err := os.MkdirAll(s.site, 0o700); err != nil {
		return err
	}
	return errors.Join(os.WriteFile(filepath.Join(s.site, "site.yaml"), []byte(nodes.String()), 0o600), s.deploy("1"))
}

// deploy writes a version of the deployment.
func (s *simulation) deploy(version string) error {
	text := fmt.Sprintf("id: web\nversion: %q\nimage: localhost/web:%s\nnodes: all\n", version, version)
	return os.WriteFile(filepath.Join(s.site, "web.yaml"), []byte(text), 0o600)
}

// orchestrator starts the orchestrator, on one core.
func (s *simulation) orchestrator(ctx context.Context) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	s.lo = exec.CommandContext(ctx, self, "edge", "lo", "--data-dir", filepath.Join(s.dir, "data"), "--interval",
		s.interval.String(),
		"--edge-listen", s.fleet.Address, s.site)
	s.lo.Env = append(os.Environ(), "GOMAXPROCS=1")
	if err := s.lo.Start(); err != nil {
		return &cli.Problem{Summary: "cannot start the orchestrator", Err: err, Suggestion: "run the program from its file"}
	}
	return nil
}

// measure goes through the steps.
func (s *simulation) measure(started time.Time) (f edgeFigures, err error) {
	f.Nodes = s.nodes
	connected, err := s.until("all nodes are connected", s.fleet.Connected)
	if err != nil {
		return f, err
	}
	f.ConnectSeconds = latest(connected).Sub(started).Seconds()
	times, err := s.until("all nodes run version 1", func() []time.Time { return s.fleet.Running("web", "1") })
	if err != nil {
		return f, err
	}
	f.InstallMedian, f.InstallWorst = spread(started, times)
	if f.RestCPU, err = s.idle(); err != nil {
		return f, err
	}
	if f.RestMemory, err = memoryOf(s.lo.Process.Pid, "VmRSS"); err != nil {
		return f, err
	}
	changed := time.Now()
	if err := s.deploy("2"); err != nil {
		return f, err
	}
	if times, err = s.until("all nodes run version 2",
		func() []time.Time { return s.fleet.Running("web", "2") }); err != nil {
		return f, err
	}
	f.UpdateMedian, f.UpdateWorst = spread(changed, times)
	if err := s.storm(&f); err != nil {
		return f, err
	}
	f.Requests = s.fleet.Requests()
	f.PeakMemory, err = memoryOf(s.lo.Process.Pid, "VmHWM")
	return f, err
}

// probeEvery is how often the orchestrator is asked while all nodes connect again.
const probeEvery = 100 * time.Millisecond

// storm cuts all connections, and asks the orchestrator until all nodes are connected again.
func (s *simulation) storm(f *edgeFigures) error {
	ctx, stop := context.WithCancel(s)
	var probing sync.WaitGroup
	var answers simulate.Answers
	cut := time.Now()
	s.fleet.Cut()
	probing.Go(func() { answers = s.fleet.Probe(ctx, probeEvery) })
	connected, err := s.until("all nodes are connected again", s.fleet.Connected)
	stop()
	probing.Wait()
	if err != nil {
		return err
	}
	f.StormSeconds = latest(connected).Sub(cut).Seconds()
	f.Answers, f.Unanswered = len(answers.Times), answers.None
	f.AnswerMedian, f.AnswerWorst = answers.Median().Seconds(), answers.Worst().Seconds()
	return nil
}

// until waits until as many times are there as there are nodes.
func (s *simulation) until(what string, times func() []time.Time) ([]time.Time, error) {
	end := time.After(simulateWait)
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	for {
		got := times()
		if len(got) == s.nodes {
			return got, nil
		}
		select {
		case <-s.Done():
			return nil, s.Err()
		case <-end:
			return nil, fmt.Errorf("after %s, %d of %d: %s", simulateWait, len(got), s.nodes, what)
		case <-tick.C:
		}
	}
}

// restAfter is how long the orchestrator may still record what was done.
const restAfter = 15 * time.Second

// idle is the CPU of the orchestrator while nothing changes, in percent of a core.
func (s *simulation) idle() (float64, error) {
	if err := s.wait(restAfter); err != nil {
		return 0, err
	}
	before, err := cpuOf(s.lo.Process.Pid)
	if err != nil {
		return 0, err
	}
	if err := s.wait(s.rest); err != nil {
		return 0, err
	}
	after, err := cpuOf(s.lo.Process.Pid)
	return 100 * (after - before).Seconds() / s.rest.Seconds(), err
}

func (s *simulation) wait(d time.Duration) error {
	select {
	case <-s.Done():
		return s.Err()
	case <-time.After(d):
		return nil
	}
}

func latest(times []time.Time) time.Time { return slices.MaxFunc(times, time.Time.Compare) }

// spread gives the median and the worst of times since a start, in seconds.
func spread(start time.Time, times []time.Time) (median, worst float64) {
	slices.SortFunc(times, time.Time.Compare)
	return times[len(times)/2].Sub(start).Seconds(), times[len(times)-1].Sub(start).Seconds()
}

func (s *simulation) show(f edgeFigures) error {
	if s.Out.Machine() {
		return s.Out.Records(render.Info{Type: "edge_figures", Data: f})
	}
	megabytes := func(n int64) string { return fmt.Sprintf("%d MB", n/1_000_000) }
	seconds := func(n float64) string { return fmt.Sprintf("%.1fs", n) }
	milliseconds := func(n float64) string { return fmt.Sprintf("%.0f ms", 1000*n) }
	return s.Out.Table(render.Table{Head: []string{"FIGURE", "VALUE"}, Rows: [][]string{
		{"nodes", fmt.Sprint(f.Nodes)},
		{"all connected after", seconds(f.ConnectSeconds)},
		{"first version runs, median and worst", seconds(f.InstallMedian) + ", " + seconds(f.InstallWorst)},
		{"orchestrator at rest, percent of one core", fmt.Sprintf("%.1f %%", f.RestCPU)},
		{"memory of the orchestrator at rest, at most", megabytes(f.RestMemory) + ", " + megabytes(f.PeakMemory)},
		{"next version runs, median and worst", seconds(f.UpdateMedian) + ", " + seconds(f.UpdateWorst)},
		{"all connected again after a cut", seconds(f.StormSeconds)},
		{"answers meanwhile, median and worst", milliseconds(f.AnswerMedian) + ", " + milliseconds(f.AnswerWorst)},
		{"requests without an answer", fmt.Sprintf("%d of %d", f.Unanswered, f.Answers+f.Unanswered)},
		{"requests in all", fmt.Sprint(f.Requests)},
	}}, "")
}

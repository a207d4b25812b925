package faultrun

import (
	"bytes"
	"context"
	"encoding/xml"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/provider/aws"
	"github.com/ovi-project/ovi/provider/aws/sandbox"
	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/test/faultrun/check"
)

// Headers that identify the caller and the recorded start to the sandbox's process.
const (
	headHost  = "X-Fault-Host"
	headName  = "X-Fault-Instance"
	headRef   = "X-Fault-Ref"
	headKey   = "X-Fault-Key"
	headToken = "X-Fault-Token"
)

// cloud is the sandbox behind loopback HTTP. It outlives the instances, keeps every changing
// call, and loses answers: the change is made and the connection breaks.
type cloud struct {
	*sandbox.Cloud
	url string

	mu    sync.Mutex
	rng   *rand.Rand
	lose  float64       // share of answers to changes that are lost
	delay time.Duration // before a change, at most
	slow  float64       // share of changes whose answers take long
	long  time.Duration // how long these take at most
	hangs string        // reads of this action have no answer until healed
	heals chan struct{} // closed when the cloud is healed
	calls []check.Call
	busy  map[string]int // changes under way, by instance
}

func newCloud(t testing.TB, at net.Listener, seed uint64) *cloud {
	t.Helper()
	inner, err := sandbox.Open("", sandbox.WithSettle(50*time.Millisecond), sandbox.WithKeepDead(20*time.Second))
	if err != nil {
		t.Fatal(err)
	}
	c := &cloud{Cloud: inner, rng: rand.New(rand.NewPCG(seed, 1)), busy: map[string]int{}, heals: make(chan struct{})}
	server := httptest.NewUnstartedServer(c)
	_ = server.Listener.Close() // it listens on another address
	server.Listener = at
	server.Start()
	c.url = server.URL
	t.Cleanup(func() { server.CloseClientConnections(); server.Close(); inner.Close() })
	return c
}

// luck draws whether the answer to a change is lost, the time before its effect and the time from it to the answer.
func (c *cloud) luck() (lost bool, before, after time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	lost = c.rng.Float64() < c.lose
	if c.delay > 0 {
		before = time.Duration(c.rng.Int64N(int64(c.delay))) / 2
		after = before
	}
	if c.long > 0 && c.rng.Float64() < c.slow {
		after = c.long/2 + time.Duration(c.rng.Int64N(int64(c.long)))/2
	}
	return lost, before, after
}

func (c *cloud) setLuck(lose float64, delay time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.lose, c.delay = lose, delay
}

// setSlow lets a share of the answers to changes take long, and one kind of reads hang, until heal.
func (c *cloud) setSlow(share float64, long time.Duration, hangs string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.slow, c.long, c.hangs = share, long, hangs
}

// heal answers everything that is slow or hangs, and whatever comes, at once.
func (c *cloud) heal() {
	c.setLuck(0, 0)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.slow, c.long, c.hangs = 0, 0, ""
	close(c.heals)
	c.heals = make(chan struct{})
}

// wait waits for a time, or until the cloud is healed.
func (c *cloud) wait(d time.Duration) {
	c.mu.Lock()
	heals := c.heals
	c.mu.Unlock()
	select {
	case <-time.After(d):
	case <-heals:
	}
}

// hang waits if the answers of an action hang.
func (c *cloud) hang(action string) {
	c.mu.Lock()
	hangs := c.hangs != "" && c.hangs == action
	long := c.long
	c.mu.Unlock()
	if hangs {
		c.wait(long)
	}
}

// under counts the running changes of an instance.
func (c *cloud) under(name string, more int) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.busy[name] += more
	return c.busy[name]
}

// ServeHTTP implements http.Handler.
func (c *cloud) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return // the caller was killed while it sent
	}
	from := time.Now()
	form, _ := url.ParseQuery(string(body))
	name := form.Get("Action")
	read := name == "" || strings.HasPrefix(name, "Describe") || strings.HasPrefix(name, "Get")
	r = r.Clone(context.WithoutCancel(r.Context()))
	r.Host, r.URL.Host, r.URL.Scheme = r.Header.Get(headHost), r.Header.Get(headHost), "https"
	r.Body = io.NopCloser(bytes.NewReader(body))
	lost, before, after := c.luck()
	if !read {
		c.under(r.Header.Get(headName), 1)
		defer c.under(r.Header.Get(headName), -1)
		time.Sleep(before)
	}
	answer := httptest.NewRecorder()
	c.Cloud.ServeHTTP(answer, r)
	if read {
		c.hang(name)
	} else {
		c.wait(after)
		c.note(r, form, from, answer, lost)
		if lost {
			panic(http.ErrAbortHandler)
		}
	}
	for k, v := range answer.Header() {
		w.Header()[k] = v
	}
	w.WriteHeader(answer.Code)
	_, _ = w.Write(answer.Body.Bytes())
}

var (
	instanceID = regexp.MustCompile(`<instanceId>(i-[0-9a-f]+)</instanceId>`)
	volumeID   = regexp.MustCompile(`<volumeId>(vol-[0-9a-f]+)</volumeId>`)
)

func (c *cloud) note(r *http.Request, form url.Values, from time.Time, answer *httptest.ResponseRecorder, lost bool) {
	token, _ := strconv.ParseInt(r.Header.Get(headToken), 10, 64)
	call := check.Call{
		Instance: r.Header.Get(headName), Ref: r.Header.Get(headRef), Key: r.Header.Get(headKey), Token: token,
		Action: form.Get("Action"), From: from, To: time.Now(), Status: answer.Code, Lost: lost,
	}
	switch call.Action {
	case "RunInstances":
		call.Made = ids(instanceID, answer.Body.String())
	case "CreateVolume":
		call.Made = ids(volumeID, answer.Body.String())
	case "TerminateInstances", "DeleteVolume":
		for k, v := range form {
			if strings.HasPrefix(k, "InstanceId") || k == "VolumeId" {
				call.Ended = append(call.Ended, v...)
			}
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.calls = append(c.calls, call)
}

func ids(pattern *regexp.Regexp, body string) (out []string) {
	for _, m := range pattern.FindAllStringSubmatch(body, -1) {
		out = append(out, m[1])
	}
	return out
}

// live lists the resources with a ref tag in the sandbox, without ovi's own code.
func (c *cloud) live(t testing.TB) map[string][]string {
	t.Helper()
	type tags []struct {
		Key   string `xml:"key"`
		Value string `xml:"value"`
	}
	var found struct {
		Instances []struct {
			ID    string `xml:"instanceId"`
			State string `xml:"instanceState>name"`
			Tags  tags   `xml:"tagSet>item"`
		} `xml:"reservationSet>item>instancesSet>item"`
		Volumes []struct {
			ID   string `xml:"volumeId"`
			Tags tags   `xml:"tagSet>item"`
		} `xml:"volumeSet>item"`
	}
	for _, action := range []string{"DescribeInstances", "DescribeVolumes"} {
		r := httptest.NewRequest("POST", "https://ec2.us-east-1.amazonaws.com/", strings.NewReader("Action="+action+"&Version=2016-11-15"))
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		r.Header.Set("Authorization", "AWS4-HMAC-SHA256 Credential=FAKE/20260101/us-east-1/ec2/aws4_request, SignedHeaders=host, Signature=fake")
		w := httptest.NewRecorder()
		c.Cloud.ServeHTTP(w, r)
		if err := xml.Unmarshal(w.Body.Bytes(), &found); err != nil || w.Code != 200 {
			t.Fatalf("%s: %d: %v: %.300s", action, w.Code, err, w.Body)
		}
	}
	out := map[string][]string{}
	add := func(id string, tags tags) {
		for _, tag := range tags {
			if tag.Key == "ovi:ref" {
				out[tag.Value] = append(out[tag.Value], id)
			}
		}
	}
	for _, i := range found.Instances {
		if i.State != "terminated" && i.State != "shutting-down" {
			add(i.ID, i.Tags)
		}
	}
	for _, v := range found.Volumes {
		add(v.ID, v.Tags)
	}
	return out
}

// marked is the AWS provider; each of its calls names the recorded start.
type marked struct {
	*aws.Provider
	observations func()           // called when an observation starts
	clock        func() time.Time // of the host
}

type markKey struct{}

type mark struct {
	ref, key string
	token    int64
}

func with(ctx context.Context, r provider.Request, ref resource.Ref) context.Context {
	return context.WithValue(ctx, markKey{}, mark{ref.String(), r.Key, r.Token})
}

func (m marked) Create(ctx context.Context, r provider.Request) (resource.Observed, error) {
	return m.Provider.Create(with(ctx, r, r.Desired.Ref), r)
}

func (m marked) Update(ctx context.Context, r provider.Request) (resource.Observed, error) {
	return m.Provider.Update(with(ctx, r, r.Desired.Ref), r)
}

func (m marked) Delete(ctx context.Context, r provider.Request) error {
	return m.Provider.Delete(with(ctx, r, r.Have.Ref), r)
}

// carrier sends an instance's requests to the sandbox's process.
type carrier struct {
	host, name string
	next       http.RoundTripper
}

// RoundTrip implements http.RoundTripper.
func (c carrier) RoundTrip(r *http.Request) (*http.Response, error) {
	out := r.Clone(r.Context())
	out.Header.Set(headHost, r.URL.Host)
	out.Header.Set(headName, c.name)
	if m, ok := r.Context().Value(markKey{}).(mark); ok {
		out.Header.Set(headRef, m.ref)
		out.Header.Set(headKey, m.key)
		out.Header.Set(headToken, strconv.FormatInt(m.token, 10))
	}
	out.URL.Scheme, out.URL.Host, out.Host = "http", c.host, ""
	return c.next.RoundTrip(out)
}

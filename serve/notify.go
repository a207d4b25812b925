package serve

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/ovi-project/ovi/cli"
	"github.com/ovi-project/ovi/render"
)

// Notice reports an alert: when it is raised, and when it is resolved.
type Notice struct {
	Type  string    `json:"type"` // "alert"
	State string    `json:"state"`
	At    time.Time `json:"at"`
	Stack string    `json:"stack"`
	Kind  string    `json:"kind"`
	Ref   string    `json:"ref,omitempty"`
	Scope string    `json:"scope,omitempty"`
	Text  string    `json:"text"`

	key string // of the alert
}

// The states of an alert.
const (
	alertNew      = "new"
	alertResolved = "resolved"
)

// Notices reports alerts on standard output and, if there is a URL, to a webhook.
type Notices struct {
	ctx       context.Context
	out       *cli.Output
	now       func() time.Time
	url       string
	key       []byte
	client    *http.Client
	queue     chan Notice
	done      chan struct{}
	pauses    []time.Duration
	delivered func(Notice) // called for what the webhook accepted
}

// noticeQueue is how many notices wait for a webhook that does not answer; more are only
// reported on standard output.
const noticeQueue = 256

// webhookWait is how long a webhook has to answer.
const webhookWait = 10 * time.Second

// OpenNotices opens the way to a webhook; without a URL there is standard output alone.
func OpenNotices(ctx context.Context, out *cli.Output, now func() time.Time, to, keyFile string) (*Notices, error) {
	n := &Notices{
		ctx: ctx, out: out, now: now, url: to, client: &http.Client{}, queue: make(chan Notice, noticeQueue),
		done: make(chan struct{}), pauses: []time.Duration{time.Second, 5 * time.Second, 30 * time.Second, 2 * time.Minute},
	}
	if n.url == "" {
		close(n.done)
		return n, nil
	}
	if u, err := url.Parse(n.url); err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http" {
		return nil, cli.Usage("use --webhook https://host/path", "invalid --webhook URL")
	}
	if keyFile == "" {
		return nil, cli.Usage("add --webhook-key-file FILE, so that the receiver can verify the sender", "--webhook needs a key to sign with")
	}
	var err error
	if n.key, err = readKey(keyFile, "webhook key"); err != nil {
		return nil, err
	}
	go n.deliver()
	return n, nil
}

// subject is what a notice is about, in words that follow its stack.
func (x Notice) subject() string {
	return strings.TrimSpace(strings.ReplaceAll(x.Kind, "_", " ") + " " + strings.TrimPrefix(x.Ref, x.Stack+":") + x.Scope)
}

// Send reports an alert; on standard output only if the webhook knows it already.
func (n *Notices) Send(x Notice, known bool) {
	switch {
	case n.out.Machine():
		_ = n.out.Records(render.Info{Type: "alert", Data: x})
	case x.State == alertResolved:
		n.out.Say("stack %s: resolved: %s", x.Stack, x.subject())
	default:
		_, _ = fmt.Fprintf(n.out.W, "stack %s: alert: %s: %s\n", x.Stack, x.subject(), x.Text)
	}
	if n.url == "" || known {
		return
	}
	select {
	case n.queue <- x:
	default:
		n.out.Warn("too many alerts wait for the webhook: one was not sent", "check that the webhook answers")
	}
}

// Close sends what waits, once each and for a short while.
func (n *Notices) Close() {
	close(n.queue)
	select {
	case <-n.done:
	case <-time.After(DrainWait):
	}
}

func (n *Notices) deliver() {
	defer close(n.done)
	for x := range n.queue {
		if err := n.post(x); err != nil {
			n.out.Warn("the webhook was not notified: "+err.Error(), "check that it answers; the alert is shown above")
		} else if n.delivered != nil {
			n.delivered(x)
		}
	}
}

// post sends one notice, and again if the receiver could not accept it.
func (n *Notices) post(x Notice) error {
	body, err := json.Marshal(x)
	if err != nil {
		return err
	}
	for try := 0; ; try++ {
		again, err := n.once(body)
		if err == nil || !again || try == len(n.pauses) {
			return err
		}
		select {
		case <-n.ctx.Done():
			return err
		case <-time.After(n.pauses[try]):
		}
	}
}

func (n *Notices) once(body []byte) (again bool, err error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(n.ctx), webhookWait)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, n.url, bytes.NewReader(body))
	if err != nil {
		return false, fmt.Errorf("invalid webhook address")
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Ovi-Signature", sign(n.key, n.now(), body))
	response, err := n.client.Do(request)
	if err != nil {
		return true, withoutURL(err)
	}
	_ = response.Body.Close()
	switch {
	case response.StatusCode < 300:
		return false, nil
	case response.StatusCode == http.StatusTooManyRequests || response.StatusCode >= 500:
		return true, fmt.Errorf("it answered %s", response.Status)
	}
	return false, fmt.Errorf("it answered %s", response.Status)
}

// withoutURL is an error of a request without its address, which may contain a secret.
func withoutURL(err error) error {
	if e, ok := err.(*url.Error); ok { //nolint:errorlint // what Do returns is that very type
		return e.Err
	}
	return err
}

// sign is t=SECONDS,v1=HEX: the HMAC-SHA256 of "SECONDS.BODY".
func sign(key []byte, at time.Time, body []byte) string {
	t := fmt.Sprint(at.Unix())
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte(t + "."))
	mac.Write(body)
	return strings.Join([]string{"t=" + t, "v1=" + hex.EncodeToString(mac.Sum(nil))}, ",")
}

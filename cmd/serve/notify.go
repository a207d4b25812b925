package serve

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/ovi-project/ovi/cmd/cli"
	"github.com/ovi-project/ovi/internal/budget"
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

// Webhook is where alerts go, and what they are signed with.
type Webhook struct {
	URL     string
	URLFile string // has the URL, for one that contains a secret: others can read a command line
	KeyFile string
}

// noRedirects: what is signed for one receiver is not sent to another.
func noRedirects(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }

// OpenNotices opens the way to a webhook; without a URL there is standard output alone.
func OpenNotices(ctx context.Context, out *cli.Output, now func() time.Time, to Webhook) (*Notices, error) {
	n := &Notices{
		ctx: ctx, out: out, now: now, client: &http.Client{CheckRedirect: noRedirects}, queue: make(chan Notice, noticeQueue),
		done: make(chan struct{}), pauses: []time.Duration{time.Second, 5 * time.Second, 30 * time.Second, 2 * time.Minute},
	}
	var err error
	if n.url, err = to.read(); err != nil {
		return nil, err
	}
	if n.url == "" {
		close(n.done)
		return n, nil
	}
	u, err := url.Parse(n.url)
	if err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http" {
		return nil, cli.Usage("use --webhook https://host/path", "invalid --webhook URL")
	}
	if _, local := Loopback(ctx, u.Hostname(), u.Port()); u.Scheme == "http" && !local {
		out.Warn("alerts go to the webhook without TLS: others on the way can read them", "use an https:// address")
	}
	if to.KeyFile == "" {
		return nil, cli.Usage("add --webhook-key-file FILE, so that the receiver can verify the sender",
			"--webhook needs a key to sign with")
	}
	if n.key, err = readKey(to.KeyFile, "webhook key"); err != nil {
		return nil, err
	}
	go n.deliver()
	return n, nil
}

// read returns the URL; "" if there is none.
func (w Webhook) read() (string, error) {
	switch {
	case w.URLFile == "":
		return w.URL, nil
	case w.URL != "":
		return "", cli.Usage("omit --webhook", "--webhook and --webhook-file both name a URL")
	}
	b, err := budget.ReadFile(w.URLFile, budget.Text)
	if err != nil {
		return "", &cli.Problem{Summary: "cannot read the URL of the webhook", File: w.URLFile, Err: cli.Plain(err)}
	}
	if len(bytes.TrimSpace(b)) == 0 {
		return "", &cli.Problem{Summary: "the file for the URL of the webhook is empty", File: w.URLFile}
	}
	return string(bytes.TrimSpace(b)), nil
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
	x.Text = n.out.Held.Text(x.Text)
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
	status := fmt.Sprintf("%d %s", response.StatusCode, http.StatusText(response.StatusCode)) // no phrase of the receiver
	switch {
	case response.StatusCode < 300:
		return false, nil
	case response.StatusCode < 400:
		return false, fmt.Errorf("it answered %s; alerts follow no redirect: use the address that it leads to", status)
	case response.StatusCode == http.StatusTooManyRequests || response.StatusCode >= 500:
		return true, fmt.Errorf("it answered %s", status)
	}
	return false, fmt.Errorf("it answered %s", status)
}

// withoutURL is an error of a request without its address, which may contain a secret.
func withoutURL(err error) error {
	e, ok := err.(*url.Error) //nolint:errorlint // what Do returns is that very type
	switch {
	case !ok:
		return err
	case strings.Contains(e.Err.Error(), "malformed"): // it quotes what the receiver sent
		return errors.New("the answer is not HTTP")
	}
	return e.Err
}

// sign is t=SECONDS,v1=HEX: the HMAC-SHA256 of "SECONDS.BODY".
func sign(key []byte, at time.Time, body []byte) string {
	t := fmt.Sprint(at.Unix())
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte(t + "."))
	mac.Write(body)
	return strings.Join([]string{"t=" + t, "v1=" + hex.EncodeToString(mac.Sum(nil))}, ",")
}

package main

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
	"os"
	"strings"
	"time"
)

// notice is what is told of a concern: when it comes up, and when it is settled.
type notice struct {
	Type  string    `json:"type"` // "concern"
	State string    `json:"state"`
	At    time.Time `json:"at"`
	Stack string    `json:"stack"`
	Kind  string    `json:"kind"`
	Ref   string    `json:"ref,omitempty"`
	Scope string    `json:"scope,omitempty"`
	Text  string    `json:"text"`

	key string // of the concern
}

// The states of a concern.
const (
	alertNew      = "new"
	alertResolved = "settled"
)

// notices tells people on standard output and, if asked to, a webhook.
type notices struct {
	c      *call
	url    string
	key    []byte
	client *http.Client
	queue  chan notice
	done   chan struct{}
	pauses []time.Duration
	heard  func(notice) // hears of what the webhook took
}

// noticeQueue is how many notices wait for a webhook that does not answer; more are only
// told on standard output.
const noticeQueue = 256

// webhookWait is how long a webhook has to answer.
const webhookWait = 10 * time.Second

func (c *call) openNotices() (*notices, error) {
	n := &notices{
		c: c, url: c.cli.String("webhook"), client: &http.Client{}, queue: make(chan notice, noticeQueue),
		done: make(chan struct{}), pauses: []time.Duration{time.Second, 5 * time.Second, 30 * time.Second, 2 * time.Minute},
	}
	if n.url == "" {
		close(n.done)
		return n, nil
	}
	if u, err := url.Parse(n.url); err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http" {
		return nil, usage("write --webhook https://host/path", "--webhook: that is no URL")
	}
	file := c.cli.String("webhook-key-file")
	if file == "" {
		return nil, usage("add --webhook-key-file FILE: who is told must be able to tell who tells", "--webhook needs a key to sign with")
	}
	b, err := os.ReadFile(file)
	if err != nil {
		return nil, &problem{code: exitError, summary: "the key of the webhook cannot be read", file: file, err: plain(err)}
	}
	if n.key = bytes.TrimSpace(b); len(n.key) < 16 {
		return nil, &problem{code: exitError, summary: "the key of the webhook is shorter than 16 bytes", file: file, next: "make one: openssl rand -hex 32"}
	}
	go n.deliver()
	return n, nil
}

// subject is what a notice is about, in words.
func (x notice) subject() string {
	return strings.TrimSpace(strings.ReplaceAll(x.Kind, "_", " ") + " " + x.Ref + x.Scope)
}

// send tells of a concern; only on standard output if the webhook has heard of it.
func (n *notices) send(x notice, heard bool) {
	if n.c.out.machine() {
		_ = n.c.out.records(infoOf(x))
	} else if x.State == alertResolved {
		n.c.out.say("stack %s: settled: %s", x.Stack, x.subject())
	} else {
		_, _ = fmt.Fprintf(n.c.out.w, "stack %s: %s: %s (only a human can settle that)\n", x.Stack, x.subject(), x.Text)
	}
	if n.url == "" || heard {
		return
	}
	select {
	case n.queue <- x:
	default:
		n.c.out.warn("the webhook does not keep up: one notice was not sent", "see that it answers")
	}
}

// Close lets what waits be sent, once each and for a short while.
func (n *notices) Close() {
	close(n.queue)
	select {
	case <-n.done:
	case <-time.After(drainWait):
	}
}

func (n *notices) deliver() {
	defer close(n.done)
	for x := range n.queue {
		if err := n.post(x); err != nil {
			n.c.out.warn("the webhook was not told: "+err.Error(), "see that it answers; the notice stands above")
		} else if n.heard != nil {
			n.heard(x)
		}
	}
}

// post sends one notice, again if the other side could not take it.
func (n *notices) post(x notice) error {
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
		case <-n.c.Done():
			return err
		case <-time.After(n.pauses[try]):
		}
	}
}

func (n *notices) once(body []byte) (again bool, err error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(n.c), webhookWait)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, n.url, bytes.NewReader(body))
	if err != nil {
		return false, fmt.Errorf("the webhook's address cannot be used")
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Ovi-Signature", sign(n.key, n.c.now(), body))
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

// withoutURL is an error of a request without its address, which may hold a secret.
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

// Package portainer is a thin client of the API of Portainer: environments of Edge agents, and tags.
package portainer

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"mime/multipart"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/ovi-project/ovi/internal/budget"
)

// answerWait is how long an answer may take.
const answerWait = 30 * time.Second

// edgeAgent is the type of an environment that an Edge agent connects.
const edgeAgent = 4

// Error is an answer that says that a call failed.
type Error struct {
	Op      string
	Status  int
	Message string
}

func (e *Error) Error() string { return e.Message }

// OwnText is the status.
func (e *Error) OwnText() (text string, whole bool) {
	return fmt.Sprintf("HTTP status %d %s", e.Status, http.StatusText(e.Status)), false
}

// IsNotFound reports whether Portainer answered that something does not exist.
func IsNotFound(err error) bool {
	var e *Error
	return errors.As(err, &e) && e.Status == http.StatusNotFound
}

// IsTaken reports whether Portainer answered that a name is in use.
func IsTaken(err error) bool {
	var e *Error
	return errors.As(err, &e) && e.Status == http.StatusConflict
}

// Client asks one Portainer.
type Client struct {
	URL   string
	Token string // of a user's API
	// For is the host, with its port if it has one, that may have the token.
	For string
}

// errWithheld is the error of a Portainer that only a configuration names, and that must not have the token.
type errWithheld string

func (e errWithheld) Error() string {
	return "the token of Portainer is not for " + string(e) + ", which a configuration names: if it may have it, " +
		"set OVI_CLUSTER_PORTAINER_TOKEN_FOR=" + string(e)
}

// maxAnswer bounds an answer.
const maxAnswer = 64 << 20

// isKnown reports whether a message is one of Portainer's own. Another text may quote the token.
func isKnown(message string) bool {
	return slices.Contains([]string{
		"A valid authorisation token is missing", "Access denied to resource", "Permission denied to access environment",
		"Invalid API key", "Unauthorized", "Invalid request payload", "Name is not unique",
		"Another environment with the same name already exists", "A tag with the same name already exists",
		"This name is already associated to a tag",
		"Unable to find an environment with the specified identifier inside the database",
		"Unable to find a tag with the specified identifier inside the database",
	}, message)
}

// Endpoint is an environment of Portainer's.
type Endpoint struct {
	ID      int `json:"Id"`
	Name    string
	Type    int
	GroupID int   `json:"GroupId"`
	TagIDs  []int `json:"TagIds"`
	EdgeKey string
	Beats   bool  `json:"Heartbeat"`
	Seen    int64 `json:"LastCheckInDate"`
}

// IsEdge reports whether it is of an Edge agent.
func (e *Endpoint) IsEdge() bool { return e.Type == edgeAgent || e.Type == 7 }

// Server is the URL that its key has for agents; "" if the key cannot be read.
func (e *Endpoint) Server() string {
	text, err := base64.RawStdEncoding.DecodeString(strings.TrimRight(e.EdgeKey, "="))
	if err != nil {
		return ""
	}
	server, _, _ := strings.Cut(string(text), "|")
	return server
}

// Tag is a tag of Portainer's.
type Tag struct {
	ID   int
	Name string
}

// Endpoints lists all environments. The list is complete, or an error.
func (c *Client) Endpoints(ctx context.Context) (out []Endpoint, err error) {
	header, err := c.call(ctx, http.MethodGet, "/api/endpoints?excludeSnapshots=true", "", nil, &out)
	if err != nil {
		return nil, err
	}
	if n, err := strconv.Atoi(header.Get("X-Total-Count")); err == nil && n != len(out) {
		return nil, fmt.Errorf("Portainer lists %d of %d environments", len(out), n) //nolint:staticcheck // a name
	}
	return out, nil
}

// Endpoint reads one environment.
func (c *Client) Endpoint(ctx context.Context, id int) (out Endpoint, err error) {
	_, err = c.call(ctx, http.MethodGet, "/api/endpoints/"+strconv.Itoa(id), "", nil, &out)
	return out, err
}

// Create makes an environment of an Edge agent, with tags.
func (c *Client) Create(ctx context.Context, name, server string, group int, tags []int) (out Endpoint, err error) {
	ids, err := json.Marshal(tags)
	if err != nil {
		return out, err
	}
	var b bytes.Buffer
	w := multipart.NewWriter(&b)
	for _, f := range [][2]string{
		{"Name", name}, {
			"EndpointCreationType", strconv.Itoa(edgeAgent),
		}, {"URL", server}, {"GroupID", strconv.Itoa(group)}, {"TagIds", string(ids)},
	} {
		if err := w.WriteField(f[0], f[1]); err != nil {
			return out, err
		}
	}
	if err := w.Close(); err != nil {
		return out, err
	}
	_, err = c.call(ctx, http.MethodPost, "/api/endpoints", w.FormDataContentType(), b.Bytes(), &out)
	return out, err
}

// Move puts an environment into another group.
func (c *Client) Move(ctx context.Context, id, group int) error {
	b, err := json.Marshal(struct{ GroupID int }{group})
	if err == nil {
		_, err = c.call(ctx, http.MethodPut, "/api/endpoints/"+strconv.Itoa(id), "application/json", b, nil)
	}
	return err
}

// Delete removes an environment.
func (c *Client) Delete(ctx context.Context, id int) error {
	_, err := c.call(ctx, http.MethodDelete, "/api/endpoints/"+strconv.Itoa(id), "", nil, nil)
	return err
}

// Tags lists all tags.
func (c *Client) Tags(ctx context.Context) (out []Tag, err error) {
	_, err = c.call(ctx, http.MethodGet, "/api/tags", "", nil, &out)
	return out, err
}

// Tag finds or makes a tag.
func (c *Client) Tag(ctx context.Context, name string) (int, error) {
	var t Tag
	b, err := json.Marshal(struct {
		Name string `json:"name"`
	}{name})
	if err != nil {
		return 0, err
	}
	if _, err = c.call(ctx, http.MethodPost, "/api/tags", "application/json", b, &t); !IsTaken(err) {
		return t.ID, err
	}
	all, err := c.Tags(ctx)
	for _, t := range all {
		if t.Name == name {
			return t.ID, nil
		}
	}
	return 0, errors.Join(err, fmt.Errorf("the tag %s exists and is not listed", name))
}

// DeleteTag removes a tag; one that does not exist is no error.
func (c *Client) DeleteTag(ctx context.Context, id int) error {
	_, err := c.call(ctx, http.MethodDelete, "/api/tags/"+strconv.Itoa(id), "", nil, nil)
	if IsNotFound(err) {
		return nil
	}
	return err
}

func (c *Client) call(ctx context.Context, method, path, kind string, body []byte, out any) (http.Header, error) {
	ctx, stop := context.WithTimeout(ctx, answerWait)
	defer stop()
	q, err := http.NewRequestWithContext(ctx, method, strings.TrimRight(c.URL, "/")+path, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	if c.Token != "" {
		if !strings.EqualFold(q.URL.Host, c.For) {
			return nil, errWithheld(q.URL.Host)
		}
		q.Header.Set("X-API-KEY", c.Token)
	}
	if kind != "" {
		q.Header.Set("Content-Type", kind)
	}
	// It follows no redirect: the token would go to another host.
	direct := http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	answer, err := direct.Do(q)
	if err != nil {
		return nil, err
	}
	defer func() { _ = answer.Body.Close() }() // only read from
	b, err := budget.ReadAll(answer.Body, "the answer", maxAnswer)
	if err != nil {
		return nil, &url.Error{Op: method, URL: path, Err: err}
	}
	if answer.StatusCode >= http.StatusMultipleChoices {
		var said struct{ Message, Details string }
		if json.Unmarshal(b, &said) != nil || !isKnown(said.Message) { // it may quote the token
			said.Message = strconv.Itoa(answer.StatusCode) + " " + http.StatusText(answer.StatusCode)
		}
		return nil, &Error{Op: method + " " + path, Status: answer.StatusCode, Message: said.Message}
	}
	if out == nil || len(b) == 0 {
		return answer.Header, nil
	}
	if err := json.Unmarshal(b, out); err != nil {
		return nil, fmt.Errorf("%s %s: cannot read the answer: %w", method, path, err)
	}
	return answer.Header, nil
}

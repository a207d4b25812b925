package libpod

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"

	"github.com/ovi-project/ovi/internal/budget"
	"github.com/ovi-project/ovi/internal/engineapi"
)

// Pull pulls an image and calls progress with each line that Podman prints. Its answer is 200
// before it has done anything: whether it worked is in the stream, which is read to its end.
func (c *Client) Pull(ctx context.Context, image string, progress func(string)) error {
	q := engineapi.Request{
		Method: http.MethodPost, Path: "/images/pull", Query: engineapi.Values("reference", image, "policy", "always"),
	}
	answer, err := c.api.Open(ctx, q)
	if err != nil {
		return err
	}
	defer func() { _ = answer.Close() }() // only read from
	var said string
	done := false
	lines := json.NewDecoder(budget.Reader(answer, "the report of the pull", budget.Answer))
	for {
		var line struct {
			Stream, Error, ID string
			Images            []string
		}
		if err := lines.Decode(&line); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return engineapi.Lost(ctx, q, err)
		}
		switch {
		case line.Error != "":
			said = line.Error
		case line.ID != "":
			done = true
		case line.Stream != "" && progress != nil:
			progress(strings.TrimSpace(line.Stream))
		}
	}
	switch {
	case said != "":
		return &engineapi.Error{Op: q.Op(), Status: http.StatusOK, Cause: "pull", Message: said}
	case !done:
		return engineapi.Lost(ctx, q, io.ErrUnexpectedEOF)
	}
	return nil
}

package libpod

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"
)

// Pull pulls an image and calls progress with each line that Podman prints. Its answer is 200
// before it has done anything: whether it worked is in the stream, which is read to its end.
func (c *Client) Pull(ctx context.Context, image string, progress func(string)) error {
	q := request{method: http.MethodPost, path: "/images/pull", query: values("reference", image, "policy", "always")}
	answer, err := c.send(ctx, q)
	if err != nil {
		return err
	}
	defer func() { _ = answer.Body.Close() }() // only read from
	if answer.StatusCode >= http.StatusBadRequest {
		b, _ := io.ReadAll(answer.Body) // what could not be read is not shown
		return failure(q, answer.StatusCode, b)
	}
	var said string
	done := false
	lines := json.NewDecoder(bufio.NewReader(answer.Body))
	for {
		var line struct {
			Stream, Error, ID string
			Images            []string
		}
		if err := lines.Decode(&line); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return lost(ctx, q, err)
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
		return &Error{Op: q.op(), Status: answer.StatusCode, Cause: "pull", Message: said}
	case !done:
		return lost(ctx, q, io.ErrUnexpectedEOF)
	}
	return nil
}

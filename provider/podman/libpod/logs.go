package libpod

import (
	"context"
	"encoding/binary"
	"io"
	"net/http"
	"strconv"
	"strings"
)

// logs reads the frames of a log: a byte for the stream, three that are zero, four of length.
func (r *Reader) logs(ctx context.Context, id string, lines int) (string, error) {
	q := request{
		method: http.MethodGet, path: "/containers/" + id + "/logs",
		query: values("stdout", "true", "stderr", "true", "tail", strconv.Itoa(lines)),
	}
	answer, err := r.send(ctx, q)
	if err != nil {
		return "", err
	}
	defer func() { _ = answer.Body.Close() }() // only read from
	if answer.StatusCode >= http.StatusBadRequest {
		b, _ := io.ReadAll(answer.Body) // what could not be read is not shown
		return "", failure(q, answer.StatusCode, b)
	}
	var out strings.Builder
	for {
		var head [8]byte
		if _, err := io.ReadFull(answer.Body, head[:]); err != nil {
			if err == io.EOF {
				return out.String(), nil
			}
			return out.String(), lost(ctx, q, err)
		}
		if _, err := io.CopyN(&out, answer.Body, int64(binary.BigEndian.Uint32(head[4:]))); err != nil {
			return out.String(), lost(ctx, q, err)
		}
	}
}

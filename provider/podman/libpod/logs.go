package libpod

import (
	"context"
	"encoding/binary"
	"io"
	"net/http"
	"strconv"
	"strings"

	"github.com/ovi-project/ovi/internal/budget"
	"github.com/ovi-project/ovi/internal/engineapi"
)

// Logs are the last lines of what a container printed. They come in frames: a byte for the stream, three that are zero,
// four of length.
func (r *Reader) Logs(ctx context.Context, id string, lines int) (string, error) {
	q := engineapi.Request{
		Method: http.MethodGet, Path: "/containers/" + id + "/logs",
		Query: engineapi.Values("stdout", "true", "stderr", "true", "tail", strconv.Itoa(lines)),
	}
	answer, err := r.api.Open(ctx, q)
	if err != nil {
		return "", err
	}
	defer func() { _ = answer.Close() }() // only read from
	var out strings.Builder
	bounded := budget.Reader(answer, "the log", budget.Text)
	for {
		var head [8]byte
		if _, err := io.ReadFull(bounded, head[:]); err != nil {
			if err == io.EOF {
				return out.String(), nil
			}
			return out.String(), engineapi.Lost(ctx, q, err)
		}
		if _, err := io.CopyN(&out, bounded, int64(binary.BigEndian.Uint32(head[4:]))); err != nil {
			return out.String(), engineapi.Lost(ctx, q, err)
		}
	}
}

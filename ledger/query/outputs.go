package query

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/ovi-project/ovi/ledger/rows"
	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/resource/outputs"
	"github.com/ovi-project/ovi/storage"
)

// Outputs returns the outputs of a stack as recorded at a revision, sorted by name. An empty stack means all stacks.
func Outputs(ctx context.Context, r *Reader, stack string, at storage.Revision) ([]outputs.Recorded, error) {
	prefix := rows.KeyOutput
	if stack != "" {
		prefix = rows.OutputsOf(stack)
	}
	var out []outputs.Recorded
	err := r.Entries(ctx, prefix, at, func(e storage.Entry) error {
		var v rows.Output
		of, name, err := rows.ParseOutput(e.Key)
		if err = errors.Join(err, json.Unmarshal(e.Value, &v)); err != nil {
			return err
		}
		var value resource.Value
		if v.Missing == "" {
			value, err = resource.ParseJSON(v.Value)
		}
		out = append(out, outputs.Recorded{
			Stack: of, Name: name, Value: value, Missing: v.Missing,
			Record: uint64(v.Seq), Instance: v.Instance, At: v.At, By: v.By,
		})
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("ledger: read the outputs: %w", err)
	}
	return out, nil
}

package planview

import (
	"io"

	"github.com/ovi-project/ovi/render/term"
	"github.com/ovi-project/ovi/resource/outputs"
)

// WriteOutputs writes the outputs that an apply recorded.
func WriteOutputs(w io.Writer, s term.Style, all []outputs.Change) error {
	p := &term.Writer{Style: s}
	writeOutputs(p, all, Value)
	_, err := io.WriteString(w, p.String())
	return err
}

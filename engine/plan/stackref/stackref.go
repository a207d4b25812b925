package stackref

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/ovi-project/ovi/ledger/query"
	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/resource/outputs"
	"github.com/ovi-project/ovi/storage"
)

// Reader reads the outputs of other stacks for one plan.
type Reader struct {
	Records *query.Reader
	At      storage.Revision
	Kind    func(resource.Ref) resource.Kind
	Secrets resource.Digester
	// Saved are the outputs that the saved plan read, which is applied; IsSaved reports that there is one.
	Saved   []outputs.Pin
	IsSaved bool
}

// Missing is an output without a value that can be used.
type Missing struct {
	Ref        resource.Ref
	Why        string
	Suggestion string
	Stale      bool // it has another record than in the saved plan
	Unfit      bool // it has a value of the wrong type
}

// Result has the configurations of a plan with the outputs of other stacks that they refer to.
type Result struct {
	Intents []resource.Intent // with the values in the place of the references
	Pins    []outputs.Pin     // sorted
	Missing []Missing         // sorted; their references stay
}

// reading is the work of one plan.
type reading struct {
	*Reader
	recorded []outputs.Recorded
	stacks   []string
	values   map[resource.Ref]resource.Value
	checkers map[string]*resource.Checker
	pins     []outputs.Pin
	missing  map[resource.Ref]Missing
}

// Read returns the configurations with the values of the outputs that they refer to. Only a plan that refers to outputs
// reads the record for it.
func (r *Reader) Read(ctx context.Context, intents []resource.Intent) (Result, error) {
	refs := map[resource.Ref]bool{}
	for i := range intents {
		in := &intents[i]
		note(refs, in.Outputs)
		for k := range in.Resources {
			note(refs, in.Resources[k].Attrs)
		}
	}
	if len(refs) == 0 {
		return Result{Intents: intents}, nil
	}
	w := reading{
		Reader: r, values: map[resource.Ref]resource.Value{}, missing: map[resource.Ref]Missing{},
		checkers: map[string]*resource.Checker{},
	}
	var err error
	if w.recorded, err = query.Outputs(ctx, r.Records, "", r.At); err != nil {
		return Result{}, err
	}
	if w.stacks, err = w.known(ctx); err != nil {
		return Result{}, err
	}
	w.stacks = slices.DeleteFunc(w.stacks, func(s string) bool {
		return slices.ContainsFunc(intents, func(in resource.Intent) bool { return in.Stack == s && len(intents) == 1 })
	})
	for _, ref := range slices.SortedFunc(maps.Keys(refs), resource.Ref.Compare) {
		of, value, why, next := outputs.Find(ref.Name, w.recorded, w.stacks)
		if why != "" {
			w.missing[ref] = Missing{Ref: ref, Why: why, Suggestion: next}
			continue
		}
		pin := outputs.Pin{Stack: of.Stack, Name: of.Name, Record: of.Record, Instance: of.Instance, Value: of.Value}
		// A saved plan was approved with the recorded outputs of its time. Another record of one makes the plan stale.
		if r.IsSaved && len(outputs.Moved([]outputs.Pin{pin}, r.Saved)) > 0 {
			w.missing[ref] = Missing{Ref: ref, Stale: true, Why: stale(pin, r.Saved), Suggestion: "create a new plan"}
			continue
		}
		w.values[ref], w.pins = value, append(w.pins, pin)
	}
	out := Result{Intents: w.substituted(intents)}
	// Several references may read one output, which has one pin.
	slices.SortFunc(w.pins, outputs.Pin.Compare)
	out.Pins = slices.CompactFunc(w.pins, func(a, b outputs.Pin) bool { return a.Compare(b) == 0 })
	for _, ref := range slices.SortedFunc(maps.Keys(w.missing), resource.Ref.Compare) {
		out.Missing = append(out.Missing, w.missing[ref])
	}
	return out, nil
}

// note adds the references to outputs in a value.
func note(refs map[resource.Ref]bool, v resource.Value) {
	for r := range resource.References(v) {
		if outputs.IsRef(r.Ref) {
			refs[r.Ref] = true
		}
	}
}

// known returns the stacks of the store: those that were loaded, and those with outputs.
func (w *reading) known(ctx context.Context) ([]string, error) {
	loaded, err := w.Records.Loaded(ctx)
	if err != nil {
		return nil, fmt.Errorf("read the stacks: %w", err)
	}
	var out []string
	for _, x := range loaded {
		out = append(out, x.Stack)
	}
	for _, x := range w.recorded {
		out = append(out, x.Stack)
	}
	slices.Sort(out)
	return slices.Compact(out), nil
}

// stale explains why a saved plan does not read an output.
func stale(now outputs.Pin, saved []outputs.Pin) string {
	i := slices.IndexFunc(saved, func(p outputs.Pin) bool { return p.Compare(now) == 0 })
	if i < 0 {
		return "the saved plan does not read it"
	}
	return fmt.Sprintf("it was record %d in the saved plan, and is record %d now", saved[i].Record, now.Record)
}

// substituted returns the configurations with values. A resource for which a value has the wrong type keeps its
// references.
func (w *reading) substituted(in []resource.Intent) []resource.Intent {
	out := slices.Clone(in)
	for i := range out {
		w.fitTexts(out[i].Outputs, "outputs")
		out[i].Outputs, _ = resource.MapRefs(out[i].Outputs, func(r resource.Reference) resource.Value {
			if v := w.valueOf(r); v != nil {
				return v
			}
			return r
		}).(resource.Attrs)
		out[i].Resources = slices.Clone(out[i].Resources)
		for k := range out[i].Resources {
			d := &out[i].Resources[k]
			refs := map[resource.Ref]bool{}
			note(refs, d.Attrs)
			if len(refs) > 0 {
				w.resource(d, refs)
			}
		}
	}
	return out
}

// valueOf returns the value of a reference to an output; nil if it has none that can be used. A value that is unfit for
// one resource is still returned, because it may fit another.
func (w *reading) valueOf(r resource.Reference) resource.Value {
	if n, missing := w.missing[r.Ref]; !outputs.IsRef(r.Ref) || missing && !n.Unfit {
		return nil
	}
	return w.values[r.Ref]
}

// resource sets the values in one resource. Its kind checks them as it checks written values.
func (w *reading) resource(d *resource.Desired, refs map[resource.Ref]bool) {
	if !w.fitTexts(d.Attrs, d.Ref.Short()) {
		return
	}
	kind := w.Kind(d.Ref)
	resolver := resource.Resolver{
		Secrets: w.Secrets, Ref: d.Ref,
		Lookup: func(r resource.Reference) (resource.Value, bool) {
			v := w.valueOf(r)
			return v, v != nil
		},
	}
	texts, _ := inTexts(d.Attrs, w.valueOf).(resource.Attrs)
	attrs, problems := w.check(kind, kind.Resolve(texts, resolver))
	if len(problems) == 0 {
		d.Attrs = attrs
		return
	}
	// The problem does not name the reference that caused it, so each of them is noted.
	for ref := range refs {
		w.unfit(ref, d.Ref.Short()+": "+problems[0].Summary, problems[0].Suggestion)
	}
}

// check checks attributes with the prepared schema of their kind.
func (w *reading) check(kind resource.Kind, attrs resource.Attrs) (resource.Attrs, []resource.Problem) {
	key := kind.Provider + "/" + kind.Name
	if w.checkers[key] == nil {
		c, err := resource.NewChecker(kind)
		if err != nil {
			return nil, []resource.Problem{{Summary: err.Error()}}
		}
		w.checkers[key] = c
	}
	return w.checkers[key].Check(attrs)
}

// unfit notes an output whose value has the wrong type for a resource.
func (w *reading) unfit(ref resource.Ref, why, next string) {
	if _, known := w.values[ref]; known {
		w.missing[ref] = Missing{
			Ref: ref, Unfit: true, Why: why, Suggestion: cmp.Or(next, "use an output with a value of that type"),
		}
	}
}

// fitTexts reports whether all outputs inside longer texts are texts, numbers or bools.
func (w *reading) fitTexts(v resource.Value, of string) bool {
	fit := true
	inTexts(v, func(r resource.Reference) resource.Value {
		switch w.valueOf(r).(type) {
		case resource.List, resource.Attrs:
			fit = false
			w.unfit(r.Ref, of+": it is a list or a map, and a text needs a string, a number or true or false",
				"use the reference alone, or another output")
		}
		return nil
	})
	return fit
}

// inTexts sets the values of references inside longer texts. It copies what it changes. A value that no text can
// contain leaves its reference.
func inTexts(v resource.Value, value func(resource.Reference) resource.Value) resource.Value {
	switch v := v.(type) {
	case resource.Text:
		out := slices.Clone(v)
		for i := range v {
			r, is := v[i].(resource.Reference)
			if !is {
				continue
			}
			switch x := value(r).(type) {
			case resource.String:
				out[i] = x
			case resource.Int, resource.Float, resource.Bool:
				out[i] = resource.String(outputs.Plain(x))
			}
		}
		return out
	case resource.List:
		out := slices.Clone(v)
		for i := range v {
			out[i] = inTexts(v[i], value)
		}
		return out
	case resource.Attrs:
		out := slices.Clone(v)
		for i := range out {
			out[i].Value = inTexts(out[i].Value, value)
		}
		return out
	}
	return v
}

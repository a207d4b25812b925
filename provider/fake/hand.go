package fake

import (
	"fmt"
	"slices"

	"github.com/ovi-project/ovi/resource"
)

// Put sets a resource by hand, outside ovi: no call is counted and no fault applies. A resource
// without an id gets one; it is returned.
func (c *Cloud) Put(o resource.Observed) resource.Observed {
	c.mu.Lock()
	defer c.mu.Unlock()
	o.Ref = o.Ref.Bare()
	if o.ID == "" {
		c.made++
		o.ID = fmt.Sprintf("%s-%d", o.Ref.Kind, c.made)
	}
	if o.Health == "" {
		o.Health = resource.Healthy
	}
	c.location(o.Ref.Scope()).put(o, 0)
	return o
}

// Remove deletes a resource by hand.
func (c *Cloud) Remove(s resource.Scope, id string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.location(s).remove(id)
}

// Replaces sets how resources of a kind can be replaced, the default first.
func (c *Cloud) Replaces(kind string, strategies ...resource.Strategy) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for i := range c.kinds {
		if c.kinds[i].Name == kind {
			c.kinds[i].Replace = func(resource.Desired, resource.Observed) []resource.Strategy { return strategies }
		}
	}
}

// ChecksFirst lets an apply check all creates of a kind before its first action.
func (c *Cloud) ChecksFirst(kind string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for i := range c.kinds {
		c.kinds[i].CheckFirst = c.kinds[i].CheckFirst || c.kinds[i].Name == kind
	}
}

// Resources lists what exists in a scope, hidden resources too, sorted by ref.
func (c *Cloud) Resources(s resource.Scope) []resource.Observed {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(c.location(s).objects)
}

// Find returns the resource whose marks name a ref; false if there is none, an error if there
// are several.
func (c *Cloud) Find(ref resource.Ref) (found resource.Observed, ok bool, err error) {
	for _, o := range c.Resources(ref.Scope()) {
		if o.Marks.Ref != ref {
			continue
		}
		if ok {
			return found, ok, fmt.Errorf("%s exists twice: %s and %s", ref, found.ID, o.ID)
		}
		found, ok = o, true
	}
	return found, ok, nil
}

// Desired is the i-th configuration of what Fill creates: a disk with a few attributes and tags.
// Refs sort in the order of i for i below ten million.
func Desired(stack, provider, location string, i int) resource.Desired {
	return resource.Desired{
		Ref: resource.Ref{
			Stack: stack, Provider: provider, Location: location, Kind: "disk",
			Name: fmt.Sprintf("disk-%07d", i),
		},
		Attrs: resource.Attrs{{Name: "size", Value: resource.Int(20)}, {Name: "weight", Value: resource.Float(0.5)}},
		Tags:  resource.Tags{{Key: "environment", Value: "prod"}, {Key: "team", Value: "platform"}},
	}
}

// Fill replaces what exists in a location by n resources as Desired configures them, marked for
// a stack. It costs no more than their memory.
func (c *Cloud) Fill(where, stack string, n int) {
	scope := resource.Scope{Provider: c.name, Location: where}
	objects := make([]resource.Observed, n)
	shape := Desired(stack, c.name, where, 0)
	for i := range objects {
		name := fmt.Sprintf("disk-%07d", i)
		ref := shape.Ref
		ref.Name = name
		objects[i] = resource.Observed{
			Ref: ref.Bare(), ID: name, Health: resource.Healthy,
			Marks: resource.Marks{Ref: ref, Owner: "ovi", Key: "key-" + name}, Attested: true,
			Attrs: shape.Attrs, Tags: shape.Tags,
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.locations[scope] = &location{objects: objects}
}

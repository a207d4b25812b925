package edge

import (
	"github.com/ovi-project/ovi/provider/edge/link"
	"github.com/ovi-project/ovi/resource"
)

// specOf is what a node is to run.
func specOf(a resource.Attrs) link.Spec {
	var s link.Spec
	s.Version, _ = a.Text("version")
	s.Image, _ = a.Text("image")
	s.Command, s.Args = a.Texts("command"), a.Texts("args")
	if env := a.TextMap("env"); len(env) > 0 {
		s.Env = env
	}
	if secrets := a.TextMap("secrets"); len(secrets) > 0 {
		s.Secrets = secrets
	}
	for _, v := range a.List("ports") {
		if o, ok := v.(resource.Attrs); ok {
			var p link.Port
			p.Container, _ = o.Int("container")
			p.Host, _ = o.Int("host")
			s.Ports = append(s.Ports, p)
		}
	}
	if o := a.Object("health_check"); o != nil {
		c := &link.Check{Command: o.Texts("command")}
		c.Interval, _ = o.Int("interval")
		c.Timeout, _ = o.Int("timeout")
		c.Start, _ = o.Int("start_period")
		c.Retries, _ = o.Int("retries")
		s.Check = c
	}
	return s
}

// attrsOf are the attributes of what a node runs.
func attrsOf(i *link.Item) resource.Attrs {
	s := i.Spec
	out := []resource.Attr{
		{Name: "version", Value: resource.String(s.Version)},
		{Name: "image", Value: resource.String(s.Image)},
		{Name: "phase", Value: resource.String(i.Phase)},
	}
	if i.Image != "" {
		out = append(out, resource.Attr{Name: "image_id", Value: resource.String(i.Image)})
	}
	if len(s.Command) > 0 {
		out = append(out, resource.Attr{Name: "command", Value: resource.TextList(s.Command)})
	}
	if len(s.Args) > 0 {
		out = append(out, resource.Attr{Name: "args", Value: resource.TextList(s.Args)})
	}
	if len(s.Env) > 0 {
		out = append(out, resource.Attr{Name: "env", Value: resource.TextAttrs(s.Env)})
	}
	if len(s.Secrets) > 0 {
		out = append(out, resource.Attr{Name: "secrets", Value: resource.TextAttrs(s.Secrets)})
	}
	if len(s.Ports) > 0 {
		var ports resource.List
		for _, p := range s.Ports {
			ports = append(ports, resource.NewAttrs(resource.Attr{Name: "container", Value: resource.Int(p.Container)},
				resource.Attr{Name: "host", Value: resource.Int(p.Host)}))
		}
		out = append(out, resource.Attr{Name: "ports", Value: ports})
	}
	if c := s.Check; c != nil {
		out = append(out, resource.Attr{Name: "health_check", Value: resource.NewAttrs(
			resource.Attr{Name: "command", Value: resource.TextList(c.Command)},
			resource.Attr{Name: "interval", Value: resource.Int(c.Interval)},
			resource.Attr{Name: "timeout", Value: resource.Int(c.Timeout)},
			resource.Attr{Name: "start_period", Value: resource.Int(c.Start)},
			resource.Attr{Name: "retries", Value: resource.Int(c.Retries)},
		)})
	}
	return resource.NewAttrs(out...)
}

// observed is a deployment as its node reported it.
func observed(scope resource.Scope, i *link.Item) resource.Observed {
	o := resource.Observed{
		Ref: resource.Ref{Provider: scope.Provider, Location: scope.Location, Kind: Kind, Name: i.Name}, ID: i.Instance,
		Health: i.Health, Message: i.Message, Since: i.Since, Attrs: attrsOf(i),
	}
	if ref, err := resource.ParseRef(i.Marks.Ref); err == nil {
		o.Marks = resource.Marks{Ref: ref.In(i.Marks.Stack), Owner: i.Marks.Owner, Key: i.Marks.Key, Blessed: i.Marks.Blessed}
	}
	return o
}

package node

import (
	"encoding/json"

	"github.com/ovi-project/ovi/resource"
)

// attrs are the attributes of the container of a deployment.
func (r *runtime) attrs(q task) []resource.Attr {
	s := q.to.Spec
	labels := map[string]string{
		labelNode: r.node(), labelName: q.Name, labelInstance: q.to.Instance,
		labelMarks: text(q.to.Marks), labelSpec: text(s),
	}
	out := []resource.Attr{
		{Name: "image", Value: resource.String(s.Image)},
		{Name: "labels", Value: resource.TextAttrs(labels)},
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
		var secrets resource.List
		for name, file := range s.Secrets {
			secrets = append(secrets, resource.NewAttrs(resource.Attr{Name: "name", Value: resource.String(name)},
				resource.Attr{Name: "path", Value: resource.String(file)}))
		}
		out = append(out, resource.Attr{Name: "secrets", Value: secrets})
	}
	if len(s.Ports) > 0 {
		var ports resource.List
		for _, p := range s.Ports {
			ports = append(ports, resource.NewAttrs(resource.Attr{Name: "container_port", Value: resource.Int(p.Container)},
				resource.Attr{Name: "host_port", Value: resource.Int(p.Host)}))
		}
		out = append(out, resource.Attr{Name: "ports", Value: ports})
	}
	if c := s.Check; c != nil {
		out = append(out, resource.Attr{Name: "health", Value: resource.NewAttrs(
			resource.Attr{Name: "command", Value: resource.TextList(c.Command)},
			resource.Attr{Name: "interval_seconds", Value: resource.Int(c.Interval)},
			resource.Attr{Name: "timeout_seconds", Value: resource.Int(c.Timeout)},
			resource.Attr{Name: "start_period_seconds", Value: resource.Int(c.Start)},
			resource.Attr{Name: "retries", Value: resource.Int(c.Retries)},
		)})
	}
	return out
}

// text is a value in a label; link's types always have one.
func text(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		return "null"
	}
	return string(b)
}

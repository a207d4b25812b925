package compose

import (
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/ovi-project/ovi/source"
)

// limit sets one of resources.limits or resources.requests.
func (s *service) limit(of, key string, v any) {
	have, _ := s.m.spec.get("resources").(object)
	amounts, _ := have.get(of).(object)
	amounts.set(key, v)
	have.set(of, amounts)
	s.m.spec.set("resources", have)
}

// memory reads an amount such as 512m or 1.5gb: in Compose units are powers of 1024.
func (s *service) memory(n *source.Node) string {
	if strings.Contains(n.Text, "$") {
		return s.text(n)
	}
	text := strings.ToLower(strings.TrimSpace(n.Text))
	digits := strings.TrimRight(text, "bkmgti ")
	value, err := strconv.ParseFloat(digits, 64)
	unit, known := map[string]string{
		"": "", "b": "", "k": "Ki", "kb": "Ki", "m": "Mi", "mb": "Mi", "g": "Gi", "gb": "Gi",
		"t": "Ti", "tb": "Ti", "ki": "Ki", "mi": "Mi", "gi": "Gi", "kib": "Ki", "mib": "Mi",
		"gib": "Gi",
	}[strings.TrimSpace(text[len(digits):])]
	if err != nil || !known || value < 0 || math.IsInf(value, 0) {
		s.problem(n, "invalid amount of memory "+source.Quote(n.Text), "for example, 512m")
		return ""
	}
	for units := "Ti Gi Mi Ki"; value != math.Trunc(value) && unit != ""; {
		at := strings.Index(units, unit)
		value *= 1024
		unit = strings.TrimSpace(units[min(at+2, len(units)):])
		unit, _, _ = strings.Cut(unit, " ")
	}
	return strconv.FormatFloat(math.Ceil(value), 'f', -1, 64) + unit
}

// deploy reads the limits of deploy.
func (s *service) deploy(n *source.Node) {
	for k, v := range pairs(n) {
		if k.Text != "resources" {
			s.lacks(k, "deploy."+k.Text)
			continue
		}
		for of, amounts := range pairs(v) {
			to := map[string]string{"limits": "limits", "reservations": "requests"}[of.Text]
			for key, x := range pairs(amounts) {
				switch {
				case to != "" && key.Text == "cpus":
					s.limit(to, "cpu", s.text(x))
				case to != "" && key.Text == "memory":
					s.limit(to, "memory", s.memory(x))
				default:
					s.lacks(key, "deploy.resources."+of.Text+"."+key.Text)
				}
			}
		}
	}
}

// healthcheck reads a health check, which always runs a command.
func (s *service) healthcheck(n *source.Node) {
	health := object{{"type", "exec"}}
	for k, v := range pairs(n) {
		switch k.Text {
		case "test":
			command := s.check(v)
			if command == nil {
				s.lacks(k, "healthcheck.disable")
				return
			}
			health.set("command", command)
		case "interval":
			s.seconds(&health, "intervalSeconds", v)
		case "timeout":
			s.seconds(&health, "timeoutSeconds", v)
		case "start_period":
			s.seconds(&health, "startPeriodSeconds", v)
		case "retries":
			health.set("retries", s.number(v, v.Text))
		case "disable":
			if v.Text == "true" {
				s.lacks(k, "healthcheck.disable")
				return
			}
		default:
			s.lacks(k, "healthcheck."+k.Text)
		}
	}
	if health.get("command") == nil {
		s.note(n, "services."+s.name+".healthcheck", "a check needs a test; without a test, the image's own check "+
			"is used")
		return
	}
	s.m.spec.set("health", health)
}

// check is the command of a test; nil if there is none.
func (s *service) check(n *source.Node) []any {
	if n.Shape == source.Scalar {
		return []any{"/bin/sh", "-c", s.text(n)}
	}
	all := s.command(n)
	switch {
	case len(all) > 1 && all[0] == "CMD":
		return all[1:]
	case len(all) == 2 && all[0] == "CMD-SHELL":
		return []any{"/bin/sh", "-c", all[1]}
	case len(all) > 0 && all[0] == "NONE":
		return nil
	}
	s.problem(n, "a test starts with CMD, CMD-SHELL or NONE", `for example, ["CMD", "pg_isready"]`)
	return []any{}
}

// seconds reads a duration such as 1m30s. Less than a second is one.
func (s *service) seconds(o *object, key string, n *source.Node) {
	d, err := time.ParseDuration(n.Text)
	switch {
	case strings.Contains(n.Text, "$"):
		s.note(n, "services."+s.name+".healthcheck: "+source.Quote(n.Text), "set health."+key)
		return
	case err != nil || d < 0:
		s.problem(n, "invalid duration "+source.Quote(n.Text), "for example, 30s")
		return
	}
	o.set(key, raw(strconv.Itoa(int(math.Ceil(d.Seconds())))))
}

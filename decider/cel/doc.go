// Package cel judges decisions by rules in CEL, the Common Expression Language of Kubernetes'
// ValidatingAdmissionPolicy.
//
// A rule sees resource, desired, changes, decision, plan, now and history, and nothing else:
// no clock, no network, no environment. All of it is recorded, so the same rule on the same
// record gives the same finding. Rules are type-checked when they are compiled; a cost limit
// bounds each evaluation. A rule that cannot be evaluated denies deletes and replaces, and warns
// otherwise: it never lets something pass by failing.
package cel

// Package cel judges decisions by rules people write in CEL, the Common Expression Language
// (the language of Kubernetes' ValidatingAdmissionPolicy).
//
// A rule sees resource, desired, changes, decision, plan, now and history, and nothing else:
// no clock, no network, no environment. All of it is on record, so the same rule on the same
// record gives the same finding. Rules are type-checked when they are compiled; evaluation is
// bounded by a cost limit. A rule that cannot be evaluated denies what destroys, and warns
// otherwise: it never lets something pass by failing.
package cel

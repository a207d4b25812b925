// Package planview draws a plan for people: the decisions by location with their attributes, the drift, and the
// difference of two revisions. It also has the short names of refs, the text of values and the counts that every
// screen shares.
package planview

// Package balance keeps load balancers, their listeners and target groups. The calls that create
// them succeed again for equal settings, whoever created the resource, so each creation compares
// the key in the tags.
package balance

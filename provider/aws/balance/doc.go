// Package balance keeps load balancers, their listeners and target groups.
package balance

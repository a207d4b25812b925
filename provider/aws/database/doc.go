// Package database keeps databases, the groups of subnets that they use, and their parameters.
package database

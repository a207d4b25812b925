// Package follow decides which configuration each resource follows: the one that is loaded, or, where a
// rollout has not reached it or went back, its last good one. It is pure but for Load.
package follow

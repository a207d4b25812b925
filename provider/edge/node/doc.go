// Package node is what runs on a node of a site: it starts, updates, restarts and deletes containers as the
// orchestrator of the site asks, and reports what runs.
//
// The desired state of a node is in a file, signed by its site; what runs is in the labels of its containers,
// and is derived from them again at each start and each report. Before it dials, it starts what that
// asks for. It decides nothing but this: an update that does not become healthy goes back to the container before.
package node

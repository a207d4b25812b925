// Package node is what runs on a node of a site: it starts, updates, restarts and deletes containers as the
// orchestrator of the site asks, and reports what runs.
//
// What a node knows is in the labels of its containers; it keeps nothing else, and derives everything from
// them again at each start and each report. Before it dials, it starts what was running when it went down. It
// decides nothing but this: an update that does not become healthy goes back to the container before.
package node

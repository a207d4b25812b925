// Package edge reads the folder of a site: site.yaml, which lists its nodes, and one file for each
// deployment. Each deployment is a resource on each node that it selects. docs/edge.md has the form of the
// files.
package edge

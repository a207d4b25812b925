package main

import (
	"testing"

	"github.com/ovi-project/ovi/provider/edge"
	sites "github.com/ovi-project/ovi/source/edge"
)

// TestTheSchemasOfASiteAreThoseThatArePublished. What they accept is tested in source/edge: a second implementation
// of JSON Schema in this test binary would slow each ovi that the tests start.
func TestTheSchemasOfASiteAreThoseThatArePublished(t *testing.T) {
	golden(t, "../../docs/schema/site.json", string(sites.SiteSchema()))
	golden(t, "../../docs/schema/deployment.json", string(sites.DeploymentSchema(edge.Kinds()[0])))
}

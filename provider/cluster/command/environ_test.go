package command_test

import (
	"slices"
	"testing"

	"github.com/ovi-project/ovi/provider/cluster/command"
)

// TestOtherProgramsGetAChosenEnvironment: no credential of ovi or of another provider is in it.
func TestOtherProgramsGetAChosenEnvironment(t *testing.T) {
	got := command.Chosen([]string{
		"PATH=/bin", "OVI_GIT_TOKEN=x", "OVI_CLUSTER_PORTAINER_TOKEN=x", "OVI_LOG_KEY_FILE=x", "AWS_SECRET_ACCESS_KEY=x",
		"AWS_SESSION_TOKEN=x", "GITHUB_TOKEN=x", "DOCKER_AUTH_CONFIG=x", "DOCKER_HOST=unix:///x", "LC_ALL=C", "MINE=1",
	}, "MINE")
	if want := []string{"PATH=/bin", "DOCKER_HOST=unix:///x", "LC_ALL=C", "MINE=1"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

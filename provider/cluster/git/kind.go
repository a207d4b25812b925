package git

import (
	"fmt"

	"github.com/ovi-project/ovi/provider/cluster/system"
	"github.com/ovi-project/ovi/resource"
)

// Kind returns the schema of branches.
func Kind() resource.Kind {
	return resource.Kind{
		Provider: system.Name, Name: system.KindBranch, NamePattern: system.ClusterName, NameDoc: system.ClusterNameDoc,
		Doc: "A branch of a Git repository, such as the one that Argo CD deploys to a cluster.\n\nIts location is git, the " +
			"repository of the option git-repo or else apps-repo. " +
			"It starts with a commit of its own, which changes no file and holds its marks. One with commits that no other " +
			"branch has is kept when it is no longer configured.",
		NoTags: true, Carrier: resource.AtCreate, CheckFirst: true, Keeps: true,
		Holds: system.HoldsName("branch"), HoldsDoc: "its name in the repository",
		DataLoss: func(have resource.Observed, _ resource.Attrs) string {
			n, _ := have.Attrs.Int("unmerged")
			switch {
			case n == 1:
				return "1 commit that no other branch has"
			case n > 1:
				return fmt.Sprintf("%d commits that no other branch has", n)
			}
			return ""
		},
		CrossCheck: func(configured []*resource.Desired, _ func(resource.Ref) *resource.Desired) []resource.Finding {
			return system.Misplaced(configured, system.OnGit, "a git_branch is in a repository", "use the location git")
		},
		Attrs: []resource.Attribute{
			{
				Name: "base", Type: resource.TString, Recorded: true, Pattern: `[A-Za-z0-9_][A-Za-z0-9._/-]*`, Example: "main",
				Doc: "The branch that it starts from; the default branch of the repository, if it is not set.",
			},
			{Name: "commit", Type: resource.TString, Computed: true, Doc: "Its newest commit."},
			{
				Name: "unmerged", Type: resource.TInt, Computed: true,
				Doc: "How many of its commits no other branch has, without the one that holds its marks.",
			},
		},
	}
}

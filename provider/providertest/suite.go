package providertest

import "testing"

type conformance struct {
	name string
	test func(*rig)
}

func cases() []conformance {
	return []conformance{
		{"KindsAreSound", kindsAreSound},
		{"NamesAreReferences", namesAreReferences},
		{"HoldsAreDeclared", holdsAreDeclared},
		{"WhatClashesIsDeclared", whatClashesIsDeclared},
		{"ARenameChangesMarksAlone", aRenameChangesMarksAlone},
		{"WhatIsCreatedIsAsConfigured", whatIsCreatedIsAsConfigured},
		{"ASnapshotIsInOrder", aSnapshotIsInOrder},
		{"ASnapshotBelongsToItsReader", aSnapshotBelongsToItsReader},
		{"ProvidersReportEvidenceOnly", providersReportEvidenceOnly},
		{"MarksAreThereFromTheFirstMoment", marksAreThereFromTheFirstMoment},
		{"OneKeyCreatesOneResource", oneKeyCreatesOneResource},
		{"UpdateCanBeRepeated", updateCanBeRepeated},
		{"StatesFollowTheConfiguration", statesFollowTheConfiguration},
		{"TagsComeAndGo", tagsComeAndGo},
		{"ABlessingIsAMark", aBlessingIsAMark},
		{"LostMarksCanBeRepaired", lostMarksCanBeRepaired},
		{"WhatIsDeletedIsGone", whatIsDeletedIsGone},
		{"AnEndedContextEndsCalls", anEndedContextEndsCalls},
		{"UnmanagedResourcesStayAsTheyAre", unmanagedResourcesStayAsTheyAre},
		{"AnUnmanagedResourceCanBeAdopted", anUnmanagedResourceCanBeAdopted},
		{"AFailedListCostsItsKind", aFailedListCostsItsKind},
		{"OnlyWhatWasAskedForIsCovered", onlyWhatWasAskedForIsCovered},
		{"KnownIDsAreFoundBeforeListsShowThem", knownIDsAreFound},
		{"AFilterHidesNothingOfOvi", aFilterHidesNothingOfOvi},
		{"WhatIsCreatedAgainHasAnotherUID", whatIsCreatedAgainHasAnotherUID},
		{"ACheckWritesNothing", aCheckWritesNothing},
		{"WhatIsReplacedIsNoObstacle", whatIsReplacedIsNoObstacle},
		{"ASwapCanBeRepeated", aSwapCanBeRepeated},
		{"ASwapGoesBack", aSwapGoesBack},
	}
}

// Run holds a provider to the contracts of package provider. open gives it on an empty system,
// once for each case; the cases run one after the other.
func Run(t *testing.T, open func(t *testing.T) Harness) {
	t.Helper()
	for _, c := range cases() {
		t.Run(c.name, func(t *testing.T) { c.test(newRig(t, t, open)) })
	}
}

// Names lists the cases.
func Names() (out []string) {
	for _, c := range cases() {
		out = append(out, c.name)
	}
	return out
}

// Find runs one case and returns what it finds wrong; ok is false if it was skipped or there
// is no such case.
func Find(t *testing.T, name string, open func(t *testing.T) Harness) (found []string, ok bool) {
	t.Helper()
	for _, c := range cases() {
		if c.name != name {
			continue
		}
		f := &finder{T: t}
		done := make(chan struct{})
		go func() { // a case that cannot go on ends its goroutine, as in testing
			defer close(done)
			c.test(newRig(f, t, open))
		}()
		<-done
		return f.found, !f.skipped
	}
	return nil, false
}

package main

import (
	"slices"
	"strings"
	"testing"

	"github.com/ovi-project/ovi/internal/heldby"
)

// attacks are what an attack on an earlier version did, and the tests that do it again.
func attacks() []heldby.Row {
	const own = "cmd/ovi."
	return []heldby.Row{
		{Name: "C1", What: "tags alone destroyed what ovi never made", Tests: []string{"engine.TestLaw10_ProofBeforeDestruction_ForgedTagsDeleteNothing", "provider/aws.TestForgedTagsProveNothing", "provider/aws.TestCopiedTagsProveNothing", "decider.TestOtherOwnersResourcesAreNotChanged", "copied"}},
		{Name: "C2", What: "a cloned repository overwrote files of its user", Tests: []string{"planted"}},
		{Name: "C3", What: "a rewritten log was verified", Tests: []string{"wal.TestALogRewrittenBehindATrimIsFound", "wal.TestATrimNoticeThatJoinsNothing", own + "TestEveryTamperingIsFound"}},
		{Name: "H1", What: "a plan file showed one thing and did another", Tests: []string{own + "TestAPlanFileThatWasSealedAgain", own + "TestEveryTamperingIsFound", "planfile"}},
		{Name: "H2", What: "rows in the store passed for approvals, and removed blessings", Tests: []string{own + "TestForgedApprovals", "engine.TestForgedApprovalsDeleteNothing", "ledger.TestAnEditedStoreNeitherApprovesNorUnblesses", "forged"}},
		{Name: "H3", What: "policies were optional, and one person was two", Tests: []string{"policy-require", "signer"}},
		{Name: "H4", What: "a rule that failed let creates and updates through", Tests: []string{"decider/cel.TestARuleThatFailsBlocks"}},
		{Name: "H5", What: "the shipped rules missed all protocols, halves of the Internet and ranges", Tests: []string{own + "TestEveryExamplePolicyCompilesAndBlocks"}},
		{Name: "H6", What: "secrets in other encodings reached screen, log and store", Tests: []string{own + "TestLaw9_SecretsStayOut_OfEverySink"}},
		{Name: "M1", What: "webhooks followed redirects, warned of no plain HTTP and had their token in `ps`", Tests: []string{"cmd/serve.TestTheWebhookFollowsNoRedirect", "cmd/serve.TestAWebhookWithoutTLS", "cmd/serve.TestTheURLOfAWebhookFromAFile"}},
		{Name: "M2", What: "a digest told what a value tried elsewhere is", Tests: []string{"law9-digests-are-bound"}},
		{Name: "M3", What: "control codes reached a terminal", Tests: []string{own + "TestNoControlCodeReachesATerminal", own + "TestNoControlCodeOfAFileReachesATerminal"}},
		{Name: "M4", What: "approvals were used again, and by who asked for them", Tests: []string{"ledger.TestAnApprovalIsUsedOnce", "decider.TestSignedApprovalsAreThoseOfOtherPeople", "signer"}},
		{Name: "M5", What: "a log signed with a foreign key, and a cut tail", Tests: []string{"wal.TestForgedWithAnotherKey", own + "TestEveryTamperingIsFound"}},
		{Name: "M6", What: "idle connections stopped cycles, wakes made hundreds, foreign hosts were served", Tests: []string{"engine.TestManyWakesAreFewCycles", "cmd/serve.TestIdleConnectionsLeaveFilesForTheLoop", "cmd/serve.TestAListenerOnLoopbackAnswersThisHostOnly"}},
		{Name: "M7", What: "a plan did not show another endpoint", Tests: []string{"provider/aws.TestAnotherEndpointIsNamed"}},
		{Name: "M8", What: "values from the environment and files were recorded and shown", Tests: []string{"law9-values-from-outside"}},
		{Name: "low 1", What: "a device exhausted memory, and a pipe survived SIGTERM", Tests: []string{"source.TestWhatNeverEndsIsNotRead"}},
		{Name: "low 2", What: "300 lines with counts exhausted memory", Tests: []string{"source/config.TestAStackHasAnEnd"}},
		{Name: "low 3", What: "a password of etcd was printed in part", Tests: []string{"storage/etcd.TestParseRefuses"}},
		{Name: "low 4", What: "the sandbox keeps user data in clear", Why: "it is in the place of AWS, which keeps it too, in a file that only its user can read: docs/audit.md"},
		{Name: "low 5", What: "the container named every user ovi", Tests: []string{own + "TestTheImageNamesNoUser", "on-record"}},
	}
}

func TestEveryAttackHasItsTests(t *testing.T) {
	t.Parallel()
	heldby.Check(t, "../..", attacks())
}

// found is a finding of trying an earlier version by hand, with its tests, and the same kind of fault in two more
// places: "place = test".
type found struct {
	name, what string
	tests      []string
	elsewhere  [2]string
}

func tests(names ...string) []string { return names }

// findings are the rows of the files newcomer, containers, edge, clusters, aws, engine and house that are about
// identity, facts, causes and the last accepted configuration, and those of the file loop.
func findings() []found {
	const own, api, etcd = "cmd/ovi.", "provider/aws/api.", "storage/etcd."
	return []found{
		{"newcomer 1", "a renamed block destroyed what its successor needs", tests("renames", "comparator.TestRenamesAreFoundAndNotGuessed"), [2]string{"a cluster and its route = " + own + "TestARenamedClusterAndItsRouteStay", "a deployment = " + own + "TestExclusiveThingsOfDeploymentsChangeHands"}},
		{"newcomer 2", "`ovi move` and an apply of the unedited file deleted a database", tests("renames", "move", "engine.TestAMovedResourceAndTheUneditedFile"), [2]string{"two names exchanged = engine.TestTwoResourcesExchangeTheirNames", "a rename that is reverted = engine.TestARenameThatIsReverted"}},
		{"newcomer 3", "a rule of updates missed restarts", tests("update-restarts", "decider/cel.TestUpdateCoversARestart"), [2]string{"windows and approvals = update-restarts", "nodes of a site = engine.TestNodesChangeInTheirWindows"}},
		{"newcomer 3a", "approvers did not see the loss, and could approve a plan without effect", tests("approve", "engine.TestAPlanThatWasAppliedInPartCannotBeApproved"), [2]string{"an alert of a loop = engine/loop.TestAnAlertOfABlockedDeleteSaysTheLoss", "a plan that proposes nothing = engine.TestAnEmptyPlanCannotBeApproved"}},
		{"newcomer 5", "a plain name was a reference in some attributes only", tests("plain-names", "lookup"), [2]string{"names in files that look like IDs = source/config.TestNamesThatLookLikeIDs", "another stack's = comparator.TestAnotherStacksResourceCanBeReferredTo"}},
		{"newcomer 6", "own work was recorded as changed outside ovi", tests("ledger/explain.TestOwnWorkIsNotMadeOutside", "engine.TestASecondInterruptTellsNotStartedFromUnknown", "ledger/explain.TestWhatAnInterruptedActionLeftIsNotMadeOutside"), [2]string{"an action in flight = engine.TestAnActionInProgressIsNotAChangeOutside", "an interrupt after the last action = cmd/reconcile.TestAnInterruptAfterTheLastActionLeavesNothing"}},
		{"newcomer 11", "drift was silent about changes in what is not configured", tests("drift", "ledger/explain.TestUnconfiguredChangesAreTheOnesThatDriftOmits"), [2]string{"marks = ledger/explain.TestAMarkThatChangedIsADifference", "what could not be read = ledger/explain.TestWhatCouldNotBeReadDidNotChange"}},
		{"newcomer 12", "an adopted resource that left the file was deleted", tests("renames", "forget", "engine.TestARemovedResourceStays"), [2]string{"a site = " + own + "TestRenamesInASite", "a chart = " + own + "TestRenamesInAChart"}},
		{"newcomer 13", "\"not verified\" disappeared next to another change", tests("not-verified", "engine.TestNotVerifiedStaysSoUntilItIsSet"), [2]string{"a lost record = engine.TestNotVerifiedIsNotUnchanged", "an adopted resource = engine.TestAnAdoptedResourceHasNoRecordOfAnother"}},
		{"containers 1", "exclusive things were checked, and not part of the order", tests(own+"TestExclusiveThingsOfContainersChangeHands", "engine.TestExchangedThingsConverge"), [2]string{"ports of listeners = " + own + "TestARenameAndAnExchangeSurviveAKill", "ports of clusters = cluster-ports"}},
		{"edge 1", "a failed update stopped the healing of the version that serves", tests("engine.TestAFailedUpdateStopsNoHealing"), [2]string{"a container = " + own + "TestAnImageThatIsNotHealthyGoesBack", "a return that fails = engine.TestAReturnThatFailsIsNotRepeated"}},
		{"edge 2", "an unread source or a broken file stopped a site", tests("source/edge.TestABrokenFileOfASiteStaysWithIt", "source-away", "source-unread", "source-gone", own+"TestAnExchangeOfPortsEndsWhileItsChartIsGone"), [2]string{"a template of a chart = source/chart.TestABadTemplateStaysWithIt", "what a readable file renamed or removed = engine/plan/accepted.TestRestoredResourcesHaveTheirDependencies"}},
		{"edge 4", "a return to the version that runs restarted it", tests(own+"TestAnErrorOfANodeHasACause", "engine.TestAFailedUpdateStopsNoHealing"), [2]string{"a version that is never healthy = " + own + "TestABadVersionOnANodeGoesBack", "a configuration that goes back = engine.TestAnOutdatedReplacementIsReverted"}},
		{"edge 5", "after a return the failure was not visible", tests("cmd/edge.TestAVersionThatFailedStaysVisible", own+"TestABadVersionOnANodeGoesBack"), [2]string{"a rollout = engine.TestAHaltedRolloutGoesOnAfterARetry", "a create that failed = ledger/explain.TestACreateThatFailedHasAResult"}},
		{"clusters 1", "one missing file proved that a cluster was not in use", tests("provider/cluster.TestABrokenClusterIsNoUnfinishedOne", "decider.TestEachConditionAllowsItsOwnActions"), [2]string{"a creation that did stop = provider/cluster.TestACreationWhoseBalancerNeverStartedIsReplaced", "a zone without tags = provider/aws.TestAZoneWithoutTagsIsFinished"}},
		{"clusters 2", "one row stopped the whole table", tests("cluster-bad-row", own+"TestDefect6_AnUnknownDesiredStateCostsItsRow"), [2]string{"a file of a folder = source/config.TestWhatIsWrongWithAFileStaysWithIt", "a stack of a repository = " + own + "TestABombEndsNoOtherStack"}},
		{"clusters 4", "\"broken\" and \"cannot be read\" were one state", tests("provider/cluster.TestABrokenClusterIsNoUnfinishedOne", own+"TestABrokenClusterIsReplacedByNameAlone"), [2]string{"a pod = provider/podman.TestAPodWithoutItsNetworkIsStopped", "a failed database = provider/aws.TestA11eAFailedDatabaseCanBeDeleted"}},
		{"aws 1", "a deletion was given up before AWS frees it, whatever `timeouts` said", tests(api+"TestADeletionWaitsAsItsHoldersSay", "timeouts"), [2]string{"an endpoint in a subnet = provider/aws.TestAnEndpointHoldsItsSubnetUntilItIsGone", "every provider = engine.TestAnActionEndsWithItsTimeout"}},
		{"aws 2", "a quota passed for throttling", tests("causes", api+"TestAQuotaIsNotRepeated"), [2]string{"codes of each service = " + api + "TestEveryCodeOfAServiceHasARow", "unknown codes = " + api + "TestNoUnknownCodeIsAMistakeByLuck"}},
		{"aws 3", "a young role failed the policy of a key", tests(api + "TestAYoungPrincipalIsWaitedFor"), [2]string{"a profile of an instance = provider/aws.TestANewRoleIsWaitedFor", "a template of a group = provider/aws.TestAGroupWaitsForItsTemplate"}},
		{"aws 4", "health without an action was planned as drift", tests("failing-note", "provider/aws/database.TestStatesOfDatabases"), [2]string{"a key that cannot be used = provider/aws.TestAKeyThatCannotBeUsedIsReported", "storage that has grown = provider/aws.TestA11aGrownStorageIsNoted"}},
		{"aws 5", "denials of others had the advice for a policy", tests("provider/aws.TestA20RefusalsOfTheAccountSayWhatToDo", api+"TestWhatOnlyAWSCanDecodeIsNotShown"), [2]string{"a create = provider/aws.TestADeniedCreateNamesTheCall", "a dry run = provider/aws.TestCheckOfADeniedDryRunIsDenied"}},
		{"engine 3", "an own create in flight was a conflict", tests("engine.TestARecordedObservationMakesNoConflict", "engine.TestLaw12_APlanKnowsTheFlightsOfOtherInstances"), [2]string{"in one process = engine.TestWhatARunningCreateMadeIsNoConflict", "between the steps of a replacement = engine.TestAReplacementBetweenItsStepsIsAFlight"}},
		{"engine 4", "a lost answer of a read ended a command", tests(etcd+"TestALostResponseDoesNotFailARead", own+"TestLostResponsesOfTheStoreDoNotEndACommand"), [2]string{"the ledger = ledger.TestAReadThatFailsForAMomentIsRepeated", "a network that is cut = " + own + "TestACutOfTheNetworkHealsWithoutAHand"}},
		{"engine 5", "a denial that passes needed an operator", tests("causes", "engine.TestWhatPassesHealsWithoutAnOperator"), [2]string{"a node of a site = " + own + "TestAnErrorOfANodeHasACause", "transient errors = engine.TestATransientErrorIsNoAttempt"}},
		{"engine 6", "two controllers fought over a value", tests("engine.TestAFightOverAValueSlowsDown", "copied"), [2]string{"restarts = engine.TestRestartsHaveABudget", "attempts = engine.TestNeverMoreAttemptsThanAllowed"}},
		{"engine 7", "a loop hid a syntax error", tests(own + "TestALoopReportsASyntaxError"), [2]string{"a part of a source = source-unread", "a branch that was rewound = source/git.TestARewoundBranchIsAnError"}},
		{"engine 8", "a full store could not be read", tests(own+"TestAFullStoreCanBeRead", "ledger.TestAFullStoreCanBeRead"), [2]string{"bbolt = storage/bolt.TestAFullDiskRefusesCommitsOnly", "etcd = " + etcd + "TestOutOfSpace"}},
		{"engine 9", "a history was partial after a compaction, and silent about it", tests(own + "TestTheOneThatLeadsCompacts"), [2]string{"revisions of the past = " + etcd + "TestThePastThatOthersCompacted", "a trimmed log = ledger/replay.TestATrimmedSharedLogIsRefused"}},
		{"engine 10", "observations of one kind counted for the scope", tests("ledger.TestFactsOfAScopeAreOfItsKinds"), [2]string{"kinds that are not read = engine.TestInventoryReadsEveryKindOnRecord", "an older observation = ledger.TestAnOlderObservationKeepsTheScopeOfANewResource"}},
		{"engine 11", "a duration of 0, a failure without its reason", tests("json", own+"TestLaw2_RecordBeforeAct_NothingStartsWithoutTheStore", "render.TestReconcileResultHasTheKeysOfTheDesign", "cmd/serve.TestReadinessNamesTheReason", "cmd/serve.TestReadinessNamesWhyTheRecordIsClosed"), [2]string{"liveness = cmd/serve.TestHealthTellsALoopThatWaitsFromOneThatIsStuck", "a store without a leader = " + etcd + "TestUnreachable"}},
		{"loop 1", "one slow action stopped everything else of its stack", tests("loop-slow-call", "engine.TestLaw12_TheLoopNeverWaits"), [2]string{"a health check that never passes = engine.TestLaw12_AHealthCheckThatNeverPassesDelaysOnlyWhatDependsOnIt", "a silent node = engine.TestLaw12_ASilentNodeDelaysOnlyWhatDependsOnIt"}},
		{"loop 2", "one hanging call stopped its whole location", tests("loop-slow-call", "provider.TestAKindThatHangsCostsNoOther", api+"TestACallThatHangsEnds"), [2]string{"a pull = provider/podman/container.TestAPullThatNeverEndsEnds", "a program = provider/cluster/command.TestAProgramThatHangsEnds"}},
		{"house-findings 1", "a final refusal was repeated under the append lock", tests("ledger.TestARefusalIsFinal", "storage.TestOnlyUnavailableIsTransient"), [2]string{"etcd = " + etcd + "TestOnlyAnUnavailableStoreIsTransient", "what cannot be recorded = ledger.TestWhatCannotBeRecordedBreaksNothing"}},
	}
}

// TestEveryFindingHasItsTests: each finding, and the same kind of fault in two other places.
func TestEveryFindingHasItsTests(t *testing.T) {
	t.Parallel()
	var rows []heldby.Row
	for _, f := range findings() {
		row := heldby.Row{Name: f.name, What: f.what, Tests: slices.Clone(f.tests)}
		for _, e := range f.elsewhere {
			_, test, _ := strings.Cut(e, " = ")
			row.Tests = append(row.Tests, test)
		}
		rows = append(rows, row)
	}
	heldby.Check(t, "../..", rows)
}

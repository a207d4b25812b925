package main

import (
	"testing"

	"github.com/ovi-project/ovi/internal/heldby"
)

// door are the findings of the second attack and the acceptance of trust at the door, with the tests that do each again
// and a variant of it.
func door() []heldby.Row {
	const own = "cmd/ovi."
	return []heldby.Row{
		{Name: "security 1", What: "a data directory or a Git configuration that came with a repository was used", Tests: []string{own + "TestAStrangersRepositoryChangesNothing", "planted", "planted-clone", "whose-directory", "internal/gitclone.TestAPlantedConfigurationRunsNothing"}},
		{Name: "security 2", What: "an import wrote outside its folder, over existing files", Tests: []string{"import-compose", "protection"}},
		{Name: "security 3", What: "an import declared passwords public", Tests: []string{"source.TestLaw9_NoVariableOfAComposeFileIsPublic"}},
		{Name: "security 4", What: "own credentials were in errors", Tests: []string{"provider/held.TestCredentialsOfTheProcessAreConcealed", "provider/held.TestTheAuthorizationOfARequestIsConcealed"}},
		{Name: "security 5", What: "a secret passed in an encoding that no search finds", Tests: []string{own + "TestLaw9_SecretsStayOut_OfEverySink", "provider/edge/node.TestANodeKeepsWholeErrorsOfDeploymentsWithSecrets"}},
		{Name: "security 6", What: "a chart ended or stopped ovi", Tests: []string{"source/chart.TestNoTemplateCanEndTheProcess", "source/chart.TestLinksInAChartEnd", own + "TestAnInterruptEndsARendering", own + "TestABombEndsNoOtherStack"}},
		{Name: "security 7", What: "idle connections stopped an orchestrator", Tests: []string{"provider/edge/link.TestStrangersLeaveRoomForNodes", "provider/edge/link.TestANodeHasFewConnections", "cmd/serve.TestIdleConnectionsLeaveFilesForTheLoop", own + "TestTheLoopGoesOnUnderAttack"}},
		{Name: "security 8", What: "one node silenced its site", Tests: []string{"provider/edge/outbox.TestAFrameIsBoundedByBytes", "provider/edge/outbox.TestALoudNodeTakesNoRoomOfOthers", "provider/edge/outbox.TestTheMemoryOfAnOutboxIsBounded", "provider/edge.TestAReportIsBounded", "cmd/reconcile.TestANodeWithManyAlarmsDisplacesNone"}},
		{Name: "security 9", What: "tokens went to any host", Tests: []string{"provider/cluster/portainer.TestATokenGoesOnlyToItsHost", "provider/cluster/kube.TestARequestStaysWithItsServer", "cmd/serve.TestTheReceiverOfAlertsPrintsNothing", "internal/gitclone.TestATokenGoesOnlyToItsHost"}},
		{Name: "security 10", What: "a proof that was sealed again said what no record says", Tests: []string{"tools/verify.TestAForgerWithAKeyIsFound", "tools/verify.TestRecordsThatContradictEachOther"}},
		{Name: "security 11", What: "a copy was used next to its original", Tests: []string{"whose-directory", own + "TestTwoDataDirectoriesOnOneHost"}},
		{Name: "security 12", What: "a node sent events of its orchestrator", Tests: []string{"provider/edge.TestANodeSendsOnlyEventsOfANode"}},
		{Name: "security 13", What: "a forged row made ovi sign that an action was done", Tests: []string{"engine.TestAForgedOpenActionRecoversNothing", "engine.TestAnActionOfAStrangerIsNotRecovered"}},
		{Name: "security 14", What: "log and store put back together", Tests: []string{"whose-directory"}},
		{Name: "security 16", What: "a table never ended or filled the memory", Tests: []string{"source/sqlite.TestATableThatNeverEndsIsAnError", "source/sqlite.TestAHugeValueIsAnError", "source/sqlite.TestTooManyRowsAreAnError", "source/sqlite.TestAnInterruptEndsAReading"}},
		{Name: "security 17", What: "protection was taken off without a key", Tests: []string{own + "TestAMachineWithoutThePeoplesKeysLowersNothing", "protection", "signer-recover"}},
		{Name: "security 18", What: "an argument that could not be read became another one", Tests: []string{"no-such-plan", "suggestions"}},
		{Name: "inputs without a limit", What: "a file, an answer or a pack was read to its end", Tests: []string{own + "TestAnEndlessFileEndsEachReading", "internal/gitclone.TestAnEndlessServer", "internal/gitclone.TestAServerOfEndlessBranches", "internal/engineapi.TestAnAnswerEndsAtItsLimit", "provider/cluster/portainer.TestAnAnswerEndsAtItsLimit", "provider/cluster/kube.TestAnAnswerEndsAtItsLimit", own + "TestAPipeWithoutAWriterEndsEachReading", "internal/matching.TestAMatchTakesAnInstant", "source/config.TestNoRegularExpressionTakesLong", "provider/held.TestALongTextIsCut", "cmd/cli.TestALongNameIsNotPrintedWhole", "provider/aws/api.TestAHostileCodeIsNotShown"}},
		{Name: "keys without number", What: "an instance pinned and reported any number of keys", Tests: []string{"ledger.TestTheKeysOfStrangersAreBounded", "engine/loop.TestPinnedKeysAreFewAlerts"}},
		{Name: "engine 1", What: "a foreign log was believed", Tests: []string{"foreign-log", "wal.TestAForeignLogIsRefused"}},
		{Name: "engine 2", What: "a command that only reads signed an unsigned log", Tests: []string{"wal.TestARecordBehindTheOwnSignatureIsForeign", "foreign-log"}},
		{Name: "acceptance 2", What: "a stranger's repository", Tests: []string{own + "TestAStrangersRepositoryChangesNothing"}},
		{Name: "acceptance 3", What: "a restored cache", Tests: []string{own + "TestARestoredCacheOfARunner"}},
		{Name: "acceptance 4", What: "six runs on empty directories", Tests: []string{own + "TestRunnersThatStartEmptyShareAKey"}},
		{Name: "acceptance 5", What: "forty ways to lower", Tests: []string{own + "TestAMachineWithoutThePeoplesKeysLowersNothing"}},
		{Name: "acceptance 6", What: "all attacks at once", Tests: []string{own + "TestTheLoopGoesOnUnderAttack"}},
		{Name: "a text of others on a terminal", What: "it changed what the terminal shows", Tests: []string{"cmd/cli.TestNoSinkPassesAHostileName", "render/term.TestACleanerPassesNothingElse", own + "TestNoControlCodeOfAFileReachesATerminal"}},
	}
}

// TestTheDoorHasItsTests: each row.
func TestTheDoorHasItsTests(t *testing.T) {
	t.Parallel()
	heldby.Check(t, "../..", door())
}

package main

import (
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

package aws_test

import (
	"testing"

	"github.com/ovi-project/ovi/internal/heldby"
)

const own = "provider/aws."

func held(name, what string, tests ...string) heldby.Row {
	return heldby.Row{Name: name, What: what, Tests: tests}
}

// rows are what an account that is not a sandbox does, and what a new user met (N and P).
func rows() []heldby.Row {
	return []heldby.Row{
		held("A1", "a replacement that cannot be created ends nothing that runs", own+"TestRowsBehindAProxy", own+"TestCheckFindsWhatAWSWouldRefuse", "engine.TestAFailedCreateKeepsTheOldResource", "engine.TestAnIncompleteReplaceCountsWhatWasDone", "aws-safety"),
		held("A2", "copied tags prove nothing", own+"TestCopiedTagsProveNothing", own+"TestADatabaseRestoredUnderItsNameIsAnother", "copied", "aws-safety"),
		held("A3", "an account that encrypts everything", own+"TestRowsBehindAProxy", own+"TestA3AnAccountThatEncryptsEverythingIsNoEndlessReplacement"),
		held("A4", "a failed start is not a success", own+"TestA4AFailedStartIsNotASuccess", "aws-rows"),
		held("A5", "removed tags lose nothing and create nothing twice", own+"TestRemovedTagsLoseNothingAndAreRestored", own+"TestOnlyWhatTheRecordProvesIsActedOn", "copied"),
		held("A6", "a change of user data says what it does not do, and restarts a count a few at a time", own+"TestA6AChangeOfUserDataSaysThatItDoesNotRun", own+"TestA6AnInstanceIsInServiceOnceItsChecksPass", "aws-rows", "engine.TestACountIsChangedAFewAtATime", "rolling"),
		held("A7", "a denied bucket or kind costs itself only", own+"TestRowsBehindAProxy", own+"TestADeniedBucketAffectsNoOther", own+"TestOnlyTheKindsAskedForAreRead", "aws-safety"),
		held("A8", "a role of a profile without a region", own+"TestA8ARoleIsAssumedInTheRegionOfTheOption"),
		held("A9", "a mounted volume", own+"TestRowsBehindAProxy", own+"TestA9AMountedVolumeIsNamedSoonAndFreeOnceItsInstanceEnds", "decider.TestWhatOutlivesIsDeletedAfter", "aws-rows"),
		held("A10a", "a security group is adopted", "adopt-by-id"),
		held("A10b", "the description of a group in use", "group-in-use"),
		held("A10c", "groups that name each other, by rules of their own", own+"TestA10cGroupsNameEachOther"),
		held("A10d", "a group without room for both sets of rules", own+"TestRowsBehindAProxy", own+"TestA10dAGroupWithoutRoomForBothSetsExchangesThem"),
		held("A10e", "rules are removed by their IDs", own+"TestA10eARuleIsRemovedByItsID"),
		held("A11a", "storage that has grown", own+"TestA11aGrownStorageIsNoted", "resource.TestWhatExceedsItsConfigurationIsNamedAndNotChanged", "aws-rows"),
		held("A11b", "major versions of MySQL and MariaDB", own+"TestA11bAMajorUpgradeOfEachEngine"),
		held("A11c", "gp3 storage of 400 GiB and more", own+"TestA11cLargeGP3StorageGrowsWithItsPerformance"),
		held("A11d", "a full database is grown", own+"TestRowsBehindAProxy", own+"TestA11dAFullDatabaseCanBeGrown"),
		held("A11e", "a failed database is deleted", own+"TestRowsBehindAProxy", own+"TestA11eAFailedDatabaseCanBeDeleted"),
		held("A11f", "automated backups outlive their database", own+"TestA11fADeletedDatabaseKeepsItsAutomatedBackups"),
		held("A11g", "a status that lags", own+"TestA11gAChangeIsWaitedForUntilItsValuesHold"),
		held("A12a", "tags that S3 refuses", own+"TestA12aTagsThatS3RefusesAreFoundBefore"),
		held("A12b", "buckets with attribute-based access control, which refuse PutBucketTagging", own+"TestA12bABucketWithAccessByAttributesIsTagged"),
		held("A12c", "a bucket that was just created", own+"TestA12cABucketThatWasJustCreatedIsWaitedFor"),
		held("A13", "a zone without the current types", own+"TestA13ASubnetWithoutAZoneIsInOneWithCurrentTypes"),
		held("A14", "what is not mentioned stays as found after adoption", "as-found", "cmd/ovi.TestWhatWasMadeByHandIsAdoptedAsItIs"),
		held("A15", "the owner of an adopted resource", own+"TestRowsBehindAProxy", own+"TestTheSystemThatManagesAResourceIsReported", "adopt-by-id", "adopt-match"),
		held("A16", "two stacks with the same names", own+"TestRowsBehindAProxy", "cmd/ovi.TestTwoStacksUseTheSameNames", "engine.TestTwoStacksMayUseTheSameNames"),
		held("A17", "young resources that a list does not show", own+"TestAYoungResourceThatAListOmitsIsReadByItsID", "engine.TestASlowObservationOverALaggingListCreatesOneResource"),
		held("A18", "the smallest policy", own+"TestTheIAMPolicyIsValid"),
		held("A19", "what prevents a deletion is named soon", own+"TestA19WhatPreventsADeletionIsNamedSoon", own+"TestWhatPreventsADeletionIsNamed"),
		held("A20", "refusals of the account", own+"TestA20RefusalsOfTheAccountSayWhatToDo"),
		held("A21", "several accounts in one process, by a role each", own+"TestEachRoleActsInItsAccount", own+"TestADeniedRoleCostsItsAccountOnly", "aws-accounts"),
		held("A22", "calls of many that wait", own+"TestA22ManyThatWaitAreReadTogether", "provider/aws/api.TestWhoWaitsAtOnceIsReadAtOnce", "provider/aws/api.TestPaceKeepsReadsAndWritesApart"),
		held("A23", "the sandbox finds by index: BenchmarkCalls in docs/dev/evidence.md", "provider/aws/sandbox/compute.TestAnIndexFollowsItsTable"),

		held("N1", "changed rules, one a line and never cut", "newcomer", "render.TestPlanForPeople"),
		held("N2", "without a record nothing counts as unchanged", "newcomer", "not-verified"),
		held("N3", "a conflict is counted and does not end with 0", "newcomer", "exit-7-conflict"),
		held("N4", "what exists is adopted under any name", "adopt-by-id", "adopt", "import-existing"),
		held("N5", "the example policies find rules for all protocols", "cmd/ovi.TestEveryExamplePolicyCompilesAndBlocks"),
		held("N6", "a change of a secret text is seen by its digests", "newcomer", "references"),
		held("N7", "a plan of creations shows what is set without being configured", "newcomer"),
		held("N8", "drift says what is and what is configured", "newcomer", "drift"),
		held("N9", "git takes nothing of the data directory", "newcomer", "planted"),
		held("N10", "deletions have IDs and what they lose", "newcomer", "aws-safety"),
		held("P2", "mistakes of who comes from Terraform, and what to do about them", "newcomer", "suggestions"),
	}
}

func TestEveryRowHasItsTests(t *testing.T) {
	t.Parallel()
	heldby.Check(t, "../..", rows())
}

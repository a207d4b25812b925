package aws_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// row is something that went wrong on AWS, or would, and the tests that hold it: "package.Test" from the
// root of the repository, or a script of cmd/ovi.
type row struct {
	name, what string
	tests      []string
}

const own = "provider/aws."

// rows are what an account that is not a sandbox does. What no test here holds is listed without one:
// it is not solved.
func rows() []row {
	return []row{
		{"A1", "a replacement that cannot be created ends nothing that runs", []string{own + "TestCheckFindsWhatAWSWouldRefuse", "engine.TestAFailedCreateKeepsTheOldResource", "engine.TestAnIncompleteReplaceCountsWhatWasDone", "aws-safety"}},
		{"A2", "copied tags prove nothing", []string{own + "TestCopiedTagsProveNothing", own + "TestADatabaseRestoredUnderItsNameIsAnother", "copied", "aws-safety"}},
		{"A3", "an account that encrypts everything", []string{own + "TestA3AnAccountThatEncryptsEverythingIsNoEndlessReplacement"}},
		{"A4", "a failed start is not a success", []string{own + "TestA4AFailedStartIsNotASuccess", "aws-rows"}},
		{"A5", "removed tags lose nothing and create nothing twice", []string{own + "TestRemovedTagsLoseNothingAndAreRestored", own + "TestOnlyWhatTheRecordProvesIsActedOn", "copied"}},
		{"A6", "a change of user data says what it does not do", []string{own + "TestA6AChangeOfUserDataSaysThatItDoesNotRun", "aws-rows"}},
		{"A7", "a denied bucket or kind costs itself only", []string{own + "TestADeniedBucketAffectsNoOther", own + "TestOnlyTheKindsAskedForAreRead", "aws-safety"}},
		{"A8", "a role of a profile without a region", []string{own + "TestA8ARoleIsAssumedInTheRegionOfTheOption"}},
		{"A9", "a mounted volume", []string{own + "TestA9AMountedVolumeIsNamedSoonAndFreeOnceItsInstanceEnds", "decider.TestWhatOutlivesIsDeletedAfter", "aws-rows"}},
		{"A10a", "a security group is adopted", []string{"adopt-by-id"}},
		{"A10b", "the description of a group in use", []string{"group-in-use"}},
		{"A10c", "groups that name each other", nil},
		{"A10d", "a group without room for both sets of rules", []string{own + "TestA10dAGroupWithoutRoomForBothSetsExchangesThem"}},
		{"A10e", "rules are removed by their IDs", []string{own + "TestA10eARuleIsRemovedByItsID"}},
		{"A11a", "storage that has grown", []string{own + "TestA11aGrownStorageIsNoted", "resource.TestWhatExceedsItsConfigurationIsNamedAndNotChanged", "aws-rows"}},
		{"A11b", "major versions of MySQL and MariaDB", []string{own + "TestA11bAMajorUpgradeOfEachEngine"}},
		{"A11c", "gp3 storage of 400 GiB and more", []string{own + "TestA11cLargeGP3StorageGrowsWithItsPerformance"}},
		{"A11d", "a full database is grown", []string{own + "TestA11dAFullDatabaseCanBeGrown"}},
		{"A11e", "a failed database is deleted", []string{own + "TestA11eAFailedDatabaseCanBeDeleted"}},
		{"A11f", "automated backups outlive their database", []string{own + "TestA11fADeletedDatabaseKeepsItsAutomatedBackups"}},
		{"A11g", "a status that lags", []string{own + "TestA11gAChangeIsWaitedForUntilItsValuesHold"}},
		{"A12a", "tags that S3 refuses", []string{own + "TestA12aTagsThatS3RefusesAreFoundBefore"}},
		{"A12b", "buckets with attribute-based access control, which refuse PutBucketTagging", nil},
		{"A12c", "a bucket that was just created", []string{own + "TestA12cABucketThatWasJustCreatedIsWaitedFor"}},
		{"A13", "a zone without the current types", []string{own + "TestA13ASubnetWithoutAZoneIsInOneWithCurrentTypes"}},
		{"A14", "what is not mentioned stays as found after adoption", []string{"cmd/ovi.TestWhatWasMadeByHandIsAdoptedAsItIs"}},
		{"A15", "the owner of an adopted resource", []string{own + "TestTheSystemThatManagesAResourceIsReported", "adopt-by-id"}},
		{"A16", "two stacks with the same names", []string{"cmd/ovi.TestTwoStacksUseTheSameNames", "engine.TestTwoStacksMayUseTheSameNames"}},
		{"A17", "young resources that a list does not show", []string{own + "TestAYoungResourceThatAListOmitsIsReadByItsID", "engine.TestASlowObservationOverALaggingListCreatesOneResource"}},
		{"A18", "the smallest policy", []string{own + "TestTheIAMPolicyIsValid"}},
		{"A19", "what prevents a deletion is named soon", []string{own + "TestA19WhatPreventsADeletionIsNamedSoon", own + "TestWhatPreventsADeletionIsNamed"}},
		{"A20", "refusals of the account", []string{own + "TestA20RefusalsOfTheAccountSayWhatToDo"}},
		{"A21", "several accounts in one process", nil},
		{"A22", "calls of many that wait", []string{own + "TestA22ManyThatWaitAreReadTogether", own + "TestWhoWaitsAtOnceIsReadAtOnce", own + "TestPaceKeepsReadsAndWritesApart"}},
		{"A23", "the sandbox finds by index: BenchmarkCalls in docs/benchmarks.md", []string{"internal/awsfake.TestAnIndexFollowsItsTable"}},
	}
}

func TestEveryRowHasItsTests(t *testing.T) {
	t.Parallel()
	for _, r := range rows() {
		for _, name := range r.tests {
			pkg, test, isTest := strings.Cut(name, ".")
			if !isTest {
				if _, err := os.Stat(filepath.Join("../../cmd/ovi/testdata/script", name+".txtar")); err != nil {
					t.Errorf("%s (%s): %v", r.name, r.what, err)
				}
				continue
			}
			if !declared(t, filepath.Join("../..", pkg), test) {
				t.Errorf("%s (%s): package %s has no %s", r.name, r.what, pkg, test)
			}
		}
	}
}

// declared reports that a test file of a folder has a test.
func declared(t *testing.T, dir, test string) bool {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*_test.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		text, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(text), "func "+test+"(t *testing.T)") {
			return true
		}
	}
	return false
}

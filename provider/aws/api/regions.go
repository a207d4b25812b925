package api

import (
	"slices"
	"strings"

	"github.com/ovi-project/ovi/resource"
)

// regionNames are the regions of the SDK's list of partitions (aws-sdk-go-v2 v1.47.6). A
// region that is not among them is not wrong for that: it may be newer than ovi.
func regionNames() []string {
	return strings.Fields(`
us-east-1 us-east-2 us-west-1 us-west-2 ca-central-1 ca-west-1 mx-central-1 sa-east-1
eu-central-1 eu-central-2 eu-north-1 eu-south-1 eu-south-2 eu-west-1 eu-west-2 eu-west-3
af-south-1 il-central-1 me-central-1 me-south-1 ap-east-1 ap-east-2 ap-northeast-1 ap-northeast-2
ap-northeast-3 ap-south-1 ap-south-2 ap-southeast-1 ap-southeast-2 ap-southeast-3 ap-southeast-4
ap-southeast-5 ap-southeast-6 ap-southeast-7 cn-north-1 cn-northwest-1 eusc-de-east-1
us-gov-east-1 us-gov-west-1 us-iso-east-1 us-iso-west-1 us-isob-east-1 us-isob-west-1
eu-isoe-west-1 us-isof-east-1 us-isof-south-1`)
}

// slips is the maximum number of wrong letters in a name that counts as misspelled.
const slips = 2

// JudgeRegion returns what is wrong with the name of a region, and which one was meant. The SDK
// accepts every name in the form of its partitions (^(us|eu|...)-\w+-\d+$) and then waits for an
// address that does not exist. Here a name must have the form of a region; it is misspelled if a
// known region is near and the part before the number is no direction. So us-esat-1 is refused, and
// us-east-7, eu-southwest-1 or nz-north-1 may exist some day.
func JudgeRegion(name string) (wrong, meant string) {
	all := regionNames()
	if slices.Contains(all, name) {
		return "", ""
	}
	near, found := resource.Nearest(strings.ToLower(name), all)
	if !RegionPattern.MatchString(name) {
		return "is not an AWS region", near
	}
	if found && !directed(name) && resource.Distance(name, near) <= slips {
		return "is not an AWS region", near
	}
	return "", ""
}

// directed reports that the last word of a region's name is a direction, as in all known ones. The
// name must match RegionPattern.
func directed(region string) bool {
	words := strings.Split(region, "-")
	switch words[len(words)-2] {
	case "central", "north", "south", "east", "west", "northeast", "northwest", "southeast", "southwest":
		return true
	}
	return false
}

// zoneOf reports that a zone may be in a region: us-east-1a, and the local and wavelength zones
// us-east-1-bos-1a and us-east-1-wl1-bos-wlz-1 ("Regions and Zones" of EC2).
func zoneOf(zone, region string) bool {
	rest, ok := strings.CutPrefix(zone, region)
	return ok && rest != "" && (rest[0] == '-' || rest[0] >= 'a' && rest[0] <= 'z')
}

package ec2

import (
	"slices"
	"strings"
)

// ZoneID is the ID of the zone of a region with a number.
func ZoneID(region string, i int) string {
	parts := strings.Split(region, "-")
	short := parts[0]
	for _, p := range parts[1:] {
		short += p[:1]
	}
	return short + "-az" + string(rune('1'+i))
}

// Zones are the availability zones of a region: six in us-east-1, three
// elsewhere, which is what most regions have.
func Zones(region string) []string {
	letters := "abc"
	if region == "us-east-1" {
		letters = "abcdef"
	}
	var out []string
	for _, l := range letters {
		out = append(out, region+string(l))
	}
	return out
}

// ValidZone reports whether a region has a zone.
func ValidZone(region, az string) bool { return slices.Contains(Zones(region), az) }

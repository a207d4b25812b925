package api

import "testing"

func TestValidRegions(t *testing.T) {
	for _, name := range append(regionNames(), "us-east-9", "eu-southwest-1", "ap-southeast-12", "nz-north-1", "us-gulf-1", "us-gov-south-1", "eusc-fr-west-1") {
		if wrong, meant := JudgeRegion(name); wrong != "" {
			t.Errorf("%s %s; %s was meant", name, wrong, meant)
		}
	}
}

func TestMisspelledRegions(t *testing.T) {
	for name, want := range map[string]string{
		"us-esat-1": "us-east-1", "us-east1": "us-east-1", "us_east_1": "us-east-1", "US-EAST-1": "us-east-1",
		"eu-wset-3": "eu-west-3", "ap-notheast-1": "ap-northeast-1", "us-east-1a": "us-east-1", "": "",
	} {
		wrong, meant := JudgeRegion(name)
		if wrong == "" || meant != want {
			t.Errorf("%q %s; %q was meant, want %q", name, wrong, meant, want)
		}
	}
}

func TestZonesOfARegion(t *testing.T) {
	for zone, want := range map[string]bool{
		"us-east-1a": true, "us-east-1f": true, "us-east-1-bos-1a": true, "us-east-1-wl1-bos-wlz-1": true,
		"us-east-1": false, "us-east-11a": false, "us-east-2a": false, "eu-west-1a": false,
	} {
		if got := zoneOf(zone, "us-east-1"); got != want {
			t.Errorf("%s of us-east-1: %v", zone, got)
		}
	}
}

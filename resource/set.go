package resource

import (
	"strconv"
	"strings"

	"github.com/ovi-project/ovi/resource/rules"
)

// Set is the resources that a count makes: NAME-0 to NAME-(Size-1), in one location. It is named by a
// ref with the name of the count.
type Set struct {
	Size int // at least 2
	// MaxUnavailable limits how many of them are interrupted, or not healthy, at one time. Unset is
	// a quarter.
	MaxUnavailable rules.Budget
}

// defaultUnavailable is the share of a set that may be unavailable where none is configured, as in a
// Kubernetes Deployment.
const defaultUnavailable = 25

// Most returns the number of resources of the set that may be unavailable at one time. A share rounds down,
// but at least one always may: otherwise no resource could be changed.
func (s *Set) Most() int {
	most := s.MaxUnavailable.Count
	switch b := s.MaxUnavailable; {
	case !b.Set:
		most = s.Size * defaultUnavailable / 100
	case b.Percent:
		most = s.Size * b.Count / 100
	}
	return min(max(most, 1), s.Size)
}

// SetOf is the ref of the set of one of its members.
func SetOf(member Ref) Ref {
	member.Name = member.Name[:max(strings.LastIndexByte(member.Name, '-'), 0)]
	return member
}

// MemberOf is the ref of the i-th resource of a set.
func MemberOf(set Ref, i int) Ref {
	set.Name += "-" + strconv.Itoa(i)
	return set
}

// NumberOf is which of its set a member is, from 0.
func NumberOf(member Ref) int {
	n, _ := strconv.Atoi(member.Name[strings.LastIndexByte(member.Name, '-')+1:])
	return n
}

package api

import (
	"net/netip"

	"github.com/ovi-project/ovi/resource"
)

// HeldInRegion is the HoldsDoc of HoldsName.
const HeldInRegion = "its name in AWS, in a region of an account"

// Everywhere is the Hold.Of of names that are unique among all accounts and regions.
const Everywhere = "all of AWS"

// HoldsName returns the Holds of a kind whose names are unique in a region of an account: the value of an
// attribute or, without one, the name of the resource. The thing is named in messages.
func HoldsName(thing, attr string) func(resource.Ref, resource.Attrs, resource.State) []resource.Hold {
	return func(ref resource.Ref, a resource.Attrs, _ resource.State) []resource.Hold {
		return []resource.Hold{{What: thing, Name: NameOr(a, attr, ref), Identity: true}}
	}
}

// NameOr returns the text of an attribute or, if it is not set, the name of the resource.
func NameOr(a resource.Attrs, attr string, ref resource.Ref) string {
	if s, ok := Text(a, attr); ok && s != "" {
		return s
	}
	return ref.Name
}

// Account is the Hold.Of of what is unique in an account, whatever the region.
func Account(ref resource.Ref) string {
	account, _ := AccountAndRegion(ref.Location)
	return ProviderName + " account " + account
}

// Inside returns the Hold.Of of what is unique within the resource that an attribute names; false if the
// attribute is not set.
func Inside(a resource.Attrs, attr string) (of string, set bool) {
	v, ok := a.Get(attr)
	if !ok || v == nil {
		return "", false
	}
	return resource.Within(v), true
}

// HoldsAddress lists the private address of a resource in its subnet, if both attributes are set.
func HoldsAddress(a resource.Attrs, attr string, identity bool) []resource.Hold {
	subnet, inSubnet := Inside(a, "subnet")
	text, set := Text(a, attr)
	address, err := netip.ParseAddr(text)
	if !inSubnet || !set || err != nil {
		return nil
	}
	return []resource.Hold{{
		What: "private address", Of: subnet, Range: netip.PrefixFrom(address, address.BitLen()), Identity: identity,
	}}
}

// HoldsEach lists one hold for each resource that a set attribute names, within that resource.
func HoldsEach(a resource.Attrs, attr string, hold resource.Hold) (out []resource.Hold) {
	for _, v := range a.List(attr) {
		hold.Of = resource.Within(v)
		out = append(out, hold)
	}
	return out
}

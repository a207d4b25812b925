package resource

// ProviderDefault is the Message of an unmanaged resource that the provider creates by itself,
// such as a default network. Such a resource is not reported.
const ProviderDefault = "default"

// PartOfAnother is the Message of an unmanaged resource that is also a part of another one, such as a rule of a
// firewall. It is not reported either; it can be adopted by its ID.
const PartOfAnother = "part of another"

// OwnedElsewhere is the Message of an unmanaged resource that ovi manages in another location, where it is reported:
// each location lists it. See Kind.Everywhere.
const OwnedElsewhere = "managed in another location"

package event

// Who returns the user that the event names, or "" if it names none. Such an event belongs to the user of
// its run.
func Who(e Event) string {
	switch e := e.(type) {
	case Approved:
		return e.Who
	case Blessed:
		return e.Who
	case Adopted:
		return e.Who
	case Disowned:
		return e.Who
	case Dismissed:
		return e.Who
	case Moved:
		return e.Who
	case Acknowledged:
		return e.Who
	case Ordered:
		return e.Who
	case Retried:
		return e.Who
	case ErrorShown:
		return e.Who
	case Revoked:
		return e.Who
	case Trusted:
		return e.Who
	case PolicyRequired:
		return e.Who
	case RosterChanged:
		return e.Who
	case RecoveryAsked:
		return e.Who
	case TrustRequired:
		return e.Who
	case Compacted:
		return e.Who
	case Baseline:
		return e.Who
	}
	return ""
}

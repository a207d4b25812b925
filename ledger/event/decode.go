package event

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// decodeEvent finds the type by its name.
func decodeEvent(name string, data []byte) (Event, error) {
	if e, err := decodeCycle(name, data); e != nil || err != nil {
		return e, err
	}
	if e, err := decodeOperator(name, data); e != nil || err != nil {
		return e, err
	}
	return nil, fmt.Errorf("%w: event %q", ErrNewer, name)
}

// decodeCycle decodes what a cycle records; nil if the event is another.
func decodeCycle(name string, data []byte) (Event, error) {
	switch name {
	case TypeLoaded:
		return read[Loaded](data)
	case TypeLed:
		return read[Led](data)
	case TypeSourceAccepted:
		return read[SourceAccepted](data)
	case TypePhaseFailed:
		return read[PhaseFailed](data)
	case TypeObserved:
		return read[Observed](data)
	case TypePlanned:
		return read[Planned](data)
	case TypeBlocked:
		return read[Blocked](data)
	case TypeApproved:
		return read[Approved](data)
	case TypeStarted:
		return read[Started](data)
	case TypeFinished:
		return read[Finished](data)
	case TypeRecovered:
		return read[Recovered](data)
	case TypeNotStarted:
		return read[NotStarted](data)
	case TypeOutageEnded:
		return read[OutageEnded](data)
	case TypeYielded:
		return read[Yielded](data)
	case TypeReplaceStarted:
		return read[ReplaceStarted](data)
	case TypeReplaceReverted:
		return read[ReplaceReverted](data)
	case TypeReplaceFinished:
		return read[ReplaceFinished](data)
	case TypeLastGood:
		return read[LastGood](data)
	case TypeExhausted:
		return read[Exhausted](data)
	case TypeRetried:
		return read[Retried](data)
	case TypeWave:
		return read[Wave](data)
	case TypeOrdered:
		return read[Ordered](data)
	case TypeAlarmed:
		return read[Alarmed](data)
	}
	return nil, nil
}

// decodeOperator decodes what operators and the ledger record; nil if the event is another.
func decodeOperator(name string, data []byte) (Event, error) {
	switch name {
	case TypeBlessed:
		return read[Blessed](data)
	case TypeAdopted:
		return read[Adopted](data)
	case TypeDisowned:
		return read[Disowned](data)
	case TypeDismissed:
		return read[Dismissed](data)
	case TypeMoved:
		return read[Moved](data)
	case TypeLost:
		return read[Lost](data)
	case TypeAcknowledged:
		return read[Acknowledged](data)
	case TypeErrorShown:
		return read[ErrorShown](data)
	case TypeKeyPinned:
		return read[KeyPinned](data)
	case TypeTrusted:
		return read[Trusted](data)
	case TypeTrustRequired:
		return read[TrustRequired](data)
	case TypeLookedUp:
		return read[LookedUp](data)
	case TypeOutputsChanged:
		return read[OutputsChanged](data)
	case TypePlanSaved:
		return read[PlanSaved](data)
	case TypePolicyRequired:
		return read[PolicyRequired](data)
	case TypeRosterChanged:
		return read[RosterChanged](data)
	case TypeRecoveryAsked:
		return read[RecoveryAsked](data)
	case TypeRecoverySeen:
		return read[RecoverySeen](data)
	case TypeCertified:
		return read[Certified](data)
	case TypeCosigned:
		return read[Cosigned](data)
	case TypeActsCertified:
		return read[ActsCertified](data)
	case TypeRevoked:
		return read[Revoked](data)
	case TypeRefused:
		return read[Refused](data)
	case TypeCompacted:
		return read[Compacted](data)
	case TypeBaseline:
		return read[Baseline](data)
	}
	return nil, nil
}

func read[E Event](data []byte) (Event, error) {
	var e E
	if err := strict(data, &e); err != nil {
		return nil, fmt.Errorf("%s: %w", e.Type(), err)
	}
	return e, nil
}

// strict decodes exactly one value without fields that are not known.
func strict(b []byte, v any) error {
	d := json.NewDecoder(bytes.NewReader(b))
	d.DisallowUnknownFields()
	if err := d.Decode(v); err != nil {
		return err
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return errors.New("bytes after the value")
	}
	return nil
}

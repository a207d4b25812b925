package trust

import (
	"fmt"
	"strings"

	"github.com/ovi-project/ovi/ledger/rows"
)

// describeAct says in words what a key of the store is about.
func describeAct(key string) string {
	for prefix, name := range map[string]string{
		rows.KeyBlessed: "blessing of ", rows.KeyAcknowledged: "acknowledgment of ",
		rows.KeyOpen: "open action on ", rows.KeyLate: "late create of ",
	} {
		if strings.HasPrefix(key, prefix) {
			ref, err := rows.RefOf(prefix, key)
			if err == nil {
				return name + ref.String()
			}
		}
	}
	if name, ok := strings.CutPrefix(key, rows.KeyRequirement); ok {
		return "required policy " + name
	}
	if key == rows.RosterKey {
		return "the roster"
	}
	if key == rows.RecoveryKey || strings.HasPrefix(key, rows.KeyRecoverySeen) {
		return "the recovery of the roster"
	}
	prefix, name := rows.KeyApproval, "approval"
	if strings.HasPrefix(key, rows.KeyUsed) {
		prefix, name = rows.KeyUsed, "use of the approval"
	}
	if digest, who, ok := rows.ParseApproval(prefix, key); ok {
		return fmt.Sprintf("%s of plan digest %s by %s", name, digest, who)
	}
	return key
}

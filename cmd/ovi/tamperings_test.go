package main

import (
	"bytes"
	"encoding/binary"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/ovi-project/ovi/ledger/event"
	"github.com/ovi-project/ovi/ledger/rows"
)

// tamperings are all ways, as docs/audit.md lists them.
func tamperings() []tampering {
	return slices.Concat(withoutKey(), withKey(), ofStore(), ofPlan(), ofAnchors())
}

const firstSegment = "wal/000000000001.wal"

// withoutKey are ways to change the log without its key.
func withoutKey() []tampering {
	change := func(name string, do func(*victim)) tampering {
		return tampering{of: "log", name: name, found: byVerify, do: do}
	}
	forge := func(name string, do func(*victim, *forgedLog)) tampering {
		return change(name, func(v *victim) { v.rewrite(nil, func(f *forgedLog) { do(v, f) }) })
	}
	return []tampering{
		change("a byte of a record", func(v *victim) { f := v.forgery(); v.flip(f.frameAt(f.named(v.t, `"blessed"`)) + 70) }),
		change("a byte of a batch's header", func(v *victim) { v.flip(v.forgery().frameAt(2) + 20) }),
		change("a byte of a chain value", func(v *victim) { v.flip(v.forgery().frameAt(3) - 5) }),
		change("a byte of the segment's header", func(v *victim) { v.flip(40) }),
		change("the version of the format", func(v *victim) { v.flip(8) }),
		change("the identity of the log", func(v *victim) { v.flip(16) }),
		change("bytes behind the end", func(v *victim) {
			f := v.forgery()
			b := v.read(firstSegment)[:f.frameAt(len(f.frames))]
			v.write(firstSegment, append(b, "more"...))
		}),
		change("the tail cut off", func(v *victim) { v.write(firstSegment, v.read(firstSegment)[:v.forgery().frameAt(3)]) }),
		change("the tail and the hint of it cut off", func(v *victim) {
			v.write(firstSegment, v.read(firstSegment)[:v.forgery().frameAt(3)])
			v.remove("wal/lock")
		}),
		change("the log removed", func(v *victim) { v.remove("wal") }),
		change("the first segment removed", func(v *victim) { v.remove(firstSegment) }),
		change("a segment of another log behind", func(v *victim) {
			b, err := os.ReadFile(filepath.Join(v.other, ".ovi", firstSegment))
			if err != nil {
				v.t.Fatal(err)
			}
			v.write("wal/000000000002.wal", b)
		}),
		change("the log of another user", func(v *victim) { v.put("wal", v.other) }),
		change("a batch added at the end, signed with a foreign key", func(v *victim) {
			f := v.forgery()
			x := f.frames[f.named(v.t, `"blessed"`)]
			own := v.read(firstSegment)[:f.frameAt(len(f.frames))]
			f.frames = append(f.frames, forgedFrame{slices.Clone(x.header), x.payload, nil})
			all := f.bytes(foreignKey())
			v.write(firstSegment, append(own, all[len(own):]...))
		}),
		change("the log put back to an earlier state", func(v *victim) { v.put("wal", v.earlier) }),
		change("a trim notice made up", func(v *victim) { v.write("wal/trimmed", []byte("ovi-trim-v1:1:x\n")) }),
		forge("a record changed, chain and checksums computed again", func(v *victim, f *forgedLog) { f.say(v.t, `"who":"ada"`, `"who":"eve"`) }),
		forge("a batch removed, chain and checksums computed again", func(v *victim, f *forgedLog) {
			i := f.named(v.t, `"blessed"`)
			f.frames = slices.Delete(f.frames, i, i+1)
		}),
		forge("two batches exchanged, chain and checksums computed again", func(_ *victim, f *forgedLog) { f.frames[2], f.frames[3] = f.frames[3], f.frames[2] }),
		forge("a batch doubled, chain and checksums computed again", func(_ *victim, f *forgedLog) { f.frames = slices.Insert(f.frames, 2, f.frames[2]) }),
		change("a record changed, all signed with a foreign key", func(v *victim) {
			v.rewrite(foreignKey(), func(f *forgedLog) { f.say(v.t, `"who":"ada"`, `"who":"eve"`) })
		}),
	}
}

// withKey are ways to change the log with its key, or to replace all that is in the data directory.
func withKey() []tampering {
	honest := func(name, found string, do func(*victim, *forgedLog), also ...string) tampering {
		return tampering{of: "log and key", name: name, found: found, do: func(v *victim) {
			v.rewrite(ownKey(), func(f *forgedLog) { do(v, f) })
			for _, name := range also {
				v.remove(name)
			}
		}}
	}
	lie := func(v *victim, f *forgedLog) { f.say(v.t, `"who":"ada"`, `"who":"eve"`) }
	return []tampering{
		{of: "log and store", name: "a record changed, all signed with another key, and the store removed", found: byVerify, do: func(v *victim) {
			v.rewrite(foreignKey(), func(f *forgedLog) { lie(v, f) })
			v.remove("store.db")
		}},
		honest("a record changed, all signed with the own key", byVerify, lie),
		honest("the same, and the store removed", byWitness, lie, "store.db"),
		honest("a batch removed, all signed with the own key, and the store removed", byWitness, func(v *victim, f *forgedLog) {
			i := f.named(v.t, `"blessed"`)
			f.frames = slices.Delete(f.frames, i, i+1)
		}, "store.db"),
		honest("a batch moved, all signed with the own key, and the store removed", byWitness, func(_ *victim, f *forgedLog) {
			f.frames[2], f.frames[3] = f.frames[3], f.frames[2]
		}, "store.db"),
		honest("times set back, all signed with the own key, and the store removed", byWitness, func(_ *victim, f *forgedLog) {
			for _, x := range f.frames {
				at := binary.LittleEndian.Uint64(x.header[16:])
				binary.LittleEndian.PutUint64(x.header[16:], at-uint64(time.Hour))
			}
		}, "store.db"),
		{of: "log and store", name: "both put back to an earlier state", found: byWitness, do: func(v *victim) {
			v.put("wal", v.earlier)
			v.put("store.db", v.earlier)
		}},
		{of: "log and store", name: "all of another user's", found: byVerify, do: func(v *victim) {
			for _, name := range []string{"wal", "store.db"} {
				v.put(name, v.other)
			}
		}},
		{of: "log and key", name: "a record added at the end with the own key", found: notFound + "the holder of the key is the one who records", do: func(v *victim) {
			v.rewrite(ownKey(), func(f *forgedLog) {
				x := f.frames[f.named(v.t, `"blessed"`)]
				f.frames = append(f.frames, forgedFrame{slices.Clone(x.header), x.payload, x.signed})
			})
		}},
	}
}

// ofStore are ways to change the store alone.
func ofStore() []tampering {
	change := func(name, found string, do func(*victim)) tampering {
		return tampering{of: "store", name: name, found: found, do: do}
	}
	replay := func(name string, do func(*victim)) tampering {
		return tampering{of: "store", name: name, found: byReplay, do: do, args: []string{"audit", "replay"}}
	}
	return []tampering{
		change("an approval put in", byStatus, func(v *victim) {
			addAct(v, rows.ApprovalOf(v.digest, "eve"), event.Approved{Who: "eve", Digest: v.digest})
		}),
		change("the user of an approval", byStatus, func(v *victim) { v.replaceIn(rows.KeyApproval, `"who":"ada"`, `"who":"eve"`) }),
		change("when an approval ends", byStatus, func(v *victim) { v.replaceIn(rows.KeyApproval, `"until":"20`, `"until":"21`) }),
		change("an approval removed", byStatus, func(v *victim) { v.deleteFrom(rows.KeyApproval) }),
		change("a blessing removed", byStatus, func(v *victim) { v.deleteFrom(rows.KeyBlessed) }),
		change("a blessing turned off", byStatus, func(v *victim) { v.replaceIn(rows.KeyBlessed, `"on":true`, `"on":false`) }),
		change("a blessing put in", byStatus, func(v *victim) {
			addAct(v, rows.BlessedOf(v.ref("web-1")), event.Blessed{Ref: v.ref("web-1"), On: true, Who: "eve"})
		}),
		change("an acknowledged drift put in", byStatus, func(v *victim) {
			addAct(v, rows.AcknowledgedOf(v.ref("web-1")), event.Acknowledged{Ref: v.ref("web-1"), Who: "eve"})
		}),
		change("a required policy put in", byStatus, func(v *victim) {
			addAct(v, rows.RequirementOf("prod"), event.PolicyRequired{Name: "prod", On: true, Who: "eve"})
		}),
		change("a roster put in", byStatus, func(v *victim) {
			eve := event.Signer{Name: "eve", Key: "ssh-ed25519 AAAA"}
			addAct(v, rows.RosterKey, event.RosterChanged{Signer: eve, On: true, Signers: []event.Signer{eve}, Who: "eve"})
		}),
		change("the use of an approval put in", byStatus, func(v *victim) {
			addAct(v, rows.UsedOf(v.digest, "ada"), event.Approved{Who: "ada", Digest: v.digest})
		}),
		change("the record that a binding names", byProof, func(v *victim) { v.replaceIn(rows.KeyBinding, `"seq":`, `"seq":1`) }),
		change("a binding ended", byProof, func(v *victim) { v.deleteFrom(rows.KeyBinding) }),
		replay("what was observed of a resource", func(v *victim) { v.replaceIn(rows.KeyResource, "t3.", "t2.") }),
		replay("a resource removed", func(v *victim) { v.deleteFrom(rows.KeyResource) }),
		replay("what was applied to a resource", func(v *victim) { v.replaceIn(rows.KeyApplied, "t3.", "t2.") }),
		{of: "store", name: "the store of another user", found: byVerify, do: func(v *victim) { v.put("store.db", v.other) }},
	}
}

// ofPlan are ways to change a plan file; TestAPlanFileThatWasSealedAgain has those that compute its hash again.
func ofPlan() []tampering {
	var out []tampering
	for name, change := range map[string]func([]byte) []byte{
		"a byte of a plan file": func(b []byte) []byte { b[len(b)/2] ^= 1; return b },
		"a plan file cut off":   func(b []byte) []byte { return b[:len(b)-40] },
		"the head of a plan file": func(b []byte) []byte {
			return bytes.Replace(b, []byte(`"sandbox":["aws"]`), []byte(`"sandbox":["awt"]`), 1)
		},
		"an action of a plan file":    func(b []byte) []byte { return bytes.Replace(b, []byte(`"unwanted"`), []byte(`"unmanaged"`), 1) },
		"the user's rules of a plan":  func(b []byte) []byte { return bytes.Replace(b, []byte(`"approvers":2`), []byte(`"approvers":0`), 1) },
		"a plan file of another user": nil,
	} {
		x := tampering{of: "plan", name: name, found: byPlan, args: []string{"approve", "less.plan"}}
		x.do = func(v *victim) {
			file := filepath.Join(v.dir, "less.plan")
			if change == nil {
				writeConfig(v.t, v.dir, fleet(1))
				must(v.t, v.dir, "plan", "--sandbox", "--out", "less.plan", "--data-dir", filepath.Join(v.t.TempDir(), "d"))
				b, err := os.ReadFile(file)
				if err != nil {
					v.t.Fatal(err)
				}
				change = func([]byte) []byte { return bytes.ReplaceAll(b, []byte("/d\""), []byte("/e\"")) }
			}
			b, err := os.ReadFile(file)
			if err != nil {
				v.t.Fatal(err)
			}
			if err := os.WriteFile(file, change(slices.Clone(b)), 0o600); err != nil {
				v.t.Fatal(err)
			}
		}
		out = append(out, x)
	}
	slices.SortFunc(out, func(a, b tampering) int { return strings.Compare(a.name, b.name) })
	return out
}

// ofAnchors are ways to change what was kept elsewhere.
func ofAnchors() []tampering {
	change := func(name, found string, do func(*victim)) tampering {
		return tampering{of: "checkpoints", name: name, found: found, do: do}
	}
	part := func(n int, text string) func(*victim) {
		return func(v *victim) {
			parts := strings.Split(v.kept, ":")
			parts[n] = text
			v.kept = strings.Join(parts, ":")
		}
	}
	return []tampering{
		change("the record of a kept checkpoint", byWitness, part(2, "1")),
		change("the root of a kept checkpoint", byWitness, part(6, strings.Repeat("0", 64))),
		change("the key of a kept checkpoint", byWitness, part(7, "jo3mxLJsLa0y0Q28_R_ALQt36kPb67nDCyC9-J8jnZo")),
		change("a checkpoint of another user's log", byWitness, func(v *victim) { v.kept = strings.TrimSpace(byOther(v.t, v.other, "audit", "checkpoint")) }),
		change("all kept checkpoints removed", notFound+"keep them where no writer of the data directory can write", func(v *victim) {
			v.kept = strings.TrimSpace(must(v.t, v.dir, "audit", "checkpoint"))
		}),
	}
}

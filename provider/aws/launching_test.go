package aws_test

import (
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/ec2"

	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/provider/aws/sandbox"
	"github.com/ovi-project/ovi/resource"
)

// Public keys whose private ones were thrown away.
const (
	keyOne = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIGy7HMCVOTb1x7FJPLpgFk2Py3iLGgu4lm/ehV0fHaiq"
	keyTwo = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIC5uABfkzmRVOIwYvot1/sVzHNVZRKtiLwmnQ3suUmO+"
)

func keyPair(t *testing.T, name, line string) resource.Desired {
	t.Helper()
	return desired(t, "key_pair", name, values{"public_key": text(line)}, "team", "ops")
}

func TestAKeyPairIsComparedWithoutItsComment(t *testing.T) {
	t.Parallel()
	w := newLiveState(t)
	d := keyPair(t, "ops", keyOne+"   me@example.com\n")
	r := w.request(d)
	have, err := w.p.Create(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	w.settled(d, nil)
	if have.ID != "ops" || !strings.HasPrefix(have.UID, "key-") {
		t.Errorf("id %q, uid %q", have.ID, have.UID)
	}
	if again, err := w.p.Create(t.Context(), r); err != nil || again.UID != have.UID {
		t.Errorf("again with its key: %v %v", again.UID, err)
	}
	if _, err := w.p.Create(t.Context(), w.request(d)); provider.CauseOf(err) != provider.InUse {
		t.Errorf("with another key: %v", err)
	}
	if err := w.p.Check(t.Context(), w.request(d)); provider.CauseOf(err) != provider.InUse {
		t.Errorf("check of a name that is taken: %v", err)
	}
	d = desired(t, "key_pair", "ops", values{"public_key": text(keyOne)}, "team", "core")
	w.mustUpdate(d, have, nil)
	w.settled(d, nil)

	c := changes(t, keyPair(t, "ops", keyTwo), have, nil)
	if len(c) != 1 || c[0].Path != "public_key" || c[0].Effect != resource.Replace {
		t.Errorf("another key: %+v", c)
	}
	replacing := w.request(keyPair(t, "ops", keyTwo))
	replacing.Have, replacing.Changes = have, c
	if err := w.p.Check(t.Context(), replacing); err != nil {
		t.Errorf("the key pair to be replaced is in the way of itself: %v", err)
	}
}

// A key pair of the same name that another hand made after the plan stays.
func TestOnlyTheKeyPairThatIsMeantIsDeleted(t *testing.T) {
	t.Parallel()
	w := newLiveState(t)
	have := w.make(keyPair(t, "ops", keyOne))
	for range 2 { // the second time it does not exist
		if err := w.remove(have); err != nil {
			t.Fatal(err)
		}
	}
	must[*ec2.ImportKeyPairOutput](t)(w.ec2().ImportKeyPair(t.Context(), &ec2.ImportKeyPairInput{KeyName: &have.ID, PublicKeyMaterial: []byte(keyTwo)}))
	if err := w.remove(have); err != nil {
		t.Fatal(err)
	}
	if o, there := w.find(ref("key_pair", "ops")); !there || !o.Marks.IsZero() {
		t.Errorf("the other key pair: %v %+v", there, o)
	}
	have.UID = "" // as of a record that has none
	if err := w.remove(have); err != nil {
		t.Fatal(err)
	}
}

func TestALostAnswerImportsOneKeyPair(t *testing.T) {
	t.Parallel()
	w := newLiveState(t)
	w.fault(sandbox.Fault{Kind: sandbox.Lost, Service: "ec2", Action: "ImportKeyPair", Times: 1})
	s := &site{liveState: w}
	s.create(keyPair(t, "ops", keyOne))
}

// A key pair that was imported a moment ago may not be visible to RunInstances yet.
func TestAnInstanceWaitsForItsKeyPair(t *testing.T) {
	t.Parallel()
	w := newLiveState(t)
	w.make(keyPair(t, "ops", keyOne))
	w.fault(sandbox.Fault{Kind: sandbox.Refused, Service: "ec2", Action: "RunInstances", Code: "InvalidKeyPair.NotFound", Status: 400, Times: 2})
	d := desired(t, "ec2", "web-0", values{"size": text("t3.micro"), "key_name": text("ops")})
	w.make(d)
	w.settled(d, nil)
}

func TestKeysWithMistakes(t *testing.T) {
	for name, line := range map[string]string{
		"no type":        strings.Fields(keyOne)[1],
		"half a line":    keyOne[:len(keyOne)-7],
		"another type":   "ecdsa-sha2-nistp256 AAAAE2VjZHNhLXNoYTItbmlzdHAyNTY=",
		"types differ":   "ssh-rsa " + strings.Fields(keyOne)[1],
		"a private key":  "-----BEGIN OPENSSH PRIVATE KEY-----", // no key
		"nothing at all": "",
	} {
		_, problems := resource.Check(kindOf(t, "key_pair"), resource.NewAttrs(resource.Attr{Name: "public_key", Value: text(line)}))
		if len(problems) == 0 || problems[0].Suggestion == "" && line != "" {
			t.Errorf("%s: %+v", name, problems)
		}
	}
}

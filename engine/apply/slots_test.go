package apply

import "testing"

// TestAtMostAThousandWait: the others keep their slots, so that what an apply has open stays bounded.
func TestAtMostAThousandWait(t *testing.T) {
	s := newSlots(1, nil)
	var resumes []func()
	for n := range mostWaiting {
		if !s.take() {
			t.Fatalf("action %d finds no slot, although all before it wait", n)
		}
		resumes = append(resumes, s.wait())
	}
	if !s.take() {
		t.Fatal("the last action finds no slot")
	}
	resume := s.wait()
	if s.take() {
		t.Error("the action beyond the limit waits without a slot")
	}
	resume()
	s.free()
	resumes[0]()
	if s.take() {
		t.Error("an action starts beside one that went on after its wait")
	}
	s.free()
	if !s.take() {
		t.Fatal("no slot is free at the end of an action")
	}
	resume = s.wait()
	if !s.take() {
		t.Error("an action holds its slot, although fewer wait")
	}
	resume()
}

package link

import (
	"net"
	"testing"
	"testing/synctest"
	"time"
)

// dials is a listener whose connections come from given addresses.
type dials struct{ from chan string }

type dialed struct {
	net.Conn
	addr net.Addr
}

func (d *dialed) RemoteAddr() net.Addr { return d.addr }

func (d dials) Accept() (net.Conn, error) {
	host, ok := <-d.from
	if !ok {
		return nil, net.ErrClosed
	}
	conn, _ := net.Pipe()
	return &dialed{Conn: conn, addr: &net.TCPAddr{IP: net.ParseIP(host), Port: 1}}, nil
}
func (dials) Close() error   { return nil }
func (dials) Addr() net.Addr { return &net.TCPAddr{} }

// TestStrangersLeaveRoomForNodes dials 1,500 times from one address and says nothing. A node at another address is
// accepted meanwhile, and the first address is accepted again after a while.
func TestStrangersLeaveRoomForNodes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := dials{make(chan string)}
		g := Guard(d)
		accepted := map[string]int{}
		done := make(chan struct{})
		go func() {
			defer close(done)
			for {
				conn, err := g.Accept()
				if err != nil {
					return
				}
				host, _, _ := net.SplitHostPort(conn.RemoteAddr().String())
				accepted[host]++
			}
		}()
		for range 1500 {
			d.from <- "10.0.0.1"
		}
		for range 3 {
			d.from <- "10.0.0.2"
		}
		synctest.Wait()
		if accepted["10.0.0.1"] != strangersEach || accepted["10.0.0.2"] != 3 {
			t.Errorf("accepted: %v", accepted)
		}
		time.Sleep(strangerTime + time.Second)
		d.from <- "10.0.0.1"
		synctest.Wait()
		if accepted["10.0.0.1"] != strangersEach+1 {
			t.Errorf("accepted after a while: %v", accepted)
		}
		close(d.from)
		<-done
		time.Sleep(strangerTime + time.Second) // until the timers have ended
	})
}

// TestAProvenConnectionStays keeps a connection that has proven who it is, and gives its place to others.
func TestAProvenConnectionStays(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := dials{make(chan string, 1)}
		g := Guard(d)
		for range 3 * strangers {
			d.from <- "10.0.0.1"
			conn, err := g.Accept()
			if err != nil {
				t.Fatal(err)
			}
			prove(conn.RemoteAddr())
			prove(conn.RemoteAddr())
		}
		if n := g.(*guard).all; n != 0 {
			t.Errorf("%d strangers are left", n)
		}
	})
}

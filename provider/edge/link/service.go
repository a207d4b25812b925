package link

import (
	"context"
	"crypto/x509"
	"encoding/json"
	"errors"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/encoding"
	"google.golang.org/grpc/keepalive"
	"google.golang.org/grpc/peer"
)

const (
	// maxFrame is the largest frame that is read.
	maxFrame = 4 << 20
	// keepAlive is how long a connection may be silent before it is tried, and then before it ends.
	keepAlive = 30 * time.Second
)

// codec writes frames as JSON.
type codec struct{}

var _ encoding.Codec = codec{}

func (codec) Marshal(v any) ([]byte, error)      { return json.Marshal(v) }
func (codec) Unmarshal(data []byte, v any) error { return json.Unmarshal(data, v) }
func (codec) Name() string                       { return "json" }

// Orchestrator serves the streams of nodes.
type Orchestrator interface {
	// Session serves one stream until it ends. recv returns the next frame of the node.
	Session(ctx context.Context, recv func() (FromNode, error), send func(ToNode) error) error
	// Enroll signs a certificate for a node.
	Enroll(ctx context.Context, r EnrollRequest) (EnrollReply, error)
}

const (
	service = "ovi.edge.v1.Site"
	session = "Session"
	enroll  = "Enroll"
)

// Certificate is what the other end of a connection showed, and has the key of; nothing else of it was
// checked. Nil means that it showed none.
func Certificate(ctx context.Context) *x509.Certificate {
	p, ok := peer.FromContext(ctx)
	if !ok {
		return nil
	}
	info, ok := p.AuthInfo.(credentials.TLSInfo)
	if !ok || len(info.State.PeerCertificates) == 0 {
		return nil
	}
	return info.State.PeerCertificates[0]
}

// NewServer returns a server of an orchestrator.
func NewServer(o Orchestrator, options ...grpc.ServerOption) *grpc.Server {
	s := grpc.NewServer(append(options, grpc.ForceServerCodec(codec{}), grpc.MaxRecvMsgSize(maxFrame),
		grpc.ConnectionTimeout(strangerTime), grpc.MaxHeaderListSize(16<<10),
		grpc.KeepaliveParams(keepalive.ServerParameters{Time: keepAlive, Timeout: keepAlive}),
		grpc.KeepaliveEnforcementPolicy(keepalive.EnforcementPolicy{MinTime: keepAlive / 2}),
		grpc.ReadBufferSize(0), grpc.WriteBufferSize(4096), grpc.MaxConcurrentStreams(4))...)
	s.RegisterService(&grpc.ServiceDesc{
		ServiceName: service, HandlerType: (*Orchestrator)(nil),
		Methods: []grpc.MethodDesc{{
			MethodName: enroll,
			Handler: func(_ any, ctx context.Context, decode func(any) error, _ grpc.UnaryServerInterceptor) (any, error) {
				var r EnrollRequest
				if err := decode(&r); err != nil {
					return nil, err
				}
				reply, err := o.Enroll(ctx, r)
				return &reply, err
			},
		}},
		Streams: []grpc.StreamDesc{{
			StreamName: session, ServerStreams: true, ClientStreams: true,
			Handler: func(_ any, stream grpc.ServerStream) error {
				return o.Session(stream.Context(), func() (f FromNode, err error) {
					err = stream.RecvMsg(&f)
					return f, err
				}, func(f ToNode) error { return stream.SendMsg(&f) })
			},
		}},
	}, o)
	return s
}

// Conn is a node's end of a stream.
type Conn struct {
	send  func(FromNode) error
	recv  func() (ToNode, error)
	close func() error
}

// NewConn is a node's end of a stream that gRPC does not carry, in a simulation.
func NewConn(send func(FromNode) error, recv func() (ToNode, error), end func() error) *Conn {
	return &Conn{send, recv, end}
}

// Dialer opens a stream to an orchestrator, as Dial does.
type Dialer func(ctx context.Context, address string, secure credentials.TransportCredentials) (*Conn, error)

// Or is a dialer, or Dial where there is none.
func (d Dialer) Or() Dialer {
	if d != nil {
		return d
	}
	return func(ctx context.Context, address string, secure credentials.TransportCredentials) (*Conn, error) {
		return Dial(ctx, address, secure)
	}
}

// Dial opens a stream to an orchestrator. It ends with its context.
func Dial(ctx context.Context, address string, secure credentials.TransportCredentials,
	options ...grpc.DialOption,
) (*Conn, error) {
	conn, err := connect(address, secure, options)
	if err != nil {
		return nil, err
	}
	stream, err := conn.NewStream(ctx, &grpc.StreamDesc{ServerStreams: true, ClientStreams: true}, "/"+service+"/"+session)
	if err != nil {
		_ = conn.Close()
		return nil, err
	}
	return &Conn{
		func(f FromNode) error { return stream.SendMsg(&f) },
		func() (f ToNode, err error) { err = stream.RecvMsg(&f); return f, err },
		conn.Close,
	}, nil
}

func connect(address string, secure credentials.TransportCredentials, options []grpc.DialOption) (*grpc.ClientConn,
	error,
) {
	return grpc.NewClient(address, append(options,
		grpc.WithKeepaliveParams(keepalive.ClientParameters{Time: keepAlive, Timeout: keepAlive}),
		grpc.WithTransportCredentials(secure),
		grpc.WithDefaultCallOptions(grpc.ForceCodec(codec{}), grpc.MaxCallRecvMsgSize(maxFrame)))...)
}

// Enroll asks an orchestrator for a certificate.
func Enroll(ctx context.Context, address string, secure credentials.TransportCredentials, r EnrollRequest,
	options ...grpc.DialOption,
) (reply EnrollReply, err error) {
	conn, err := connect(address, secure, options)
	if err != nil {
		return reply, err
	}
	err = conn.Invoke(ctx, "/"+service+"/"+enroll, &r, &reply)
	return reply, errors.Join(err, conn.Close())
}

// Send sends a frame. One goroutine at a time may send.
func (c *Conn) Send(f FromNode) error { return c.send(f) }

// Recv returns the next frame.
func (c *Conn) Recv() (ToNode, error) { return c.recv() }

// Close ends the stream.
func (c *Conn) Close() error { return c.close() }

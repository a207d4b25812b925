package wire

import (
	"bytes"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"encoding/xml"
	"io"
	"net/http"
	"strconv"
)

// Answer is the response, in any protocol.
type Answer struct {
	Status int
	header http.Header
	body   []byte
	Code   string // the error code, empty when all went well
}

// Raw is an answer that a handler has rendered itself.
type Raw struct {
	Status int
	Header http.Header
	Body   []byte
}

// Render writes a handler's result in the protocol of its service
// (research: the AWS query protocol, EC2's dialect of it, REST-XML, JSON 1.1).
func Render(cl *Call, body any, err error) *Answer {
	id := requestID()
	a := &Answer{Status: 200, header: http.Header{}}
	if err != nil {
		e := ErrorOf(err)
		a.Status, a.Code = e.Status, e.Code
		a.body = renderError(cl, e, id)
		if e.Home != "" {
			a.header.Set("X-Amz-Bucket-Region", e.Home)
		}
	} else if r, ok := body.(Raw); ok {
		a.Status, a.body = r.Status, r.Body
		for k, v := range r.Header {
			a.header[k] = v
		}
	} else {
		a.body = renderBody(cl, body, id)
	}
	if a.header.Get("Content-Type") == "" {
		content := "text/xml;charset=UTF-8"
		switch {
		case SpeaksJSON(cl.Service):
			content = "application/x-amz-json-1.1"
		case cl.Service == "s3":
			content = "application/xml"
		}
		a.header.Set("Content-Type", content)
	}
	a.header.Set("X-Amzn-Requestid", id)
	a.header.Set("X-Amz-Request-Id", id)
	a.header.Set("Server", "ovi-sandbox")
	return a
}

func renderBody(cl *Call, body any, id string) []byte {
	switch {
	case SpeaksJSON(cl.Service):
		return marshalJSON(body)
	case cl.Service == "s3":
		return append([]byte(xml.Header), MarshalXML(body)...)
	}
	var b bytes.Buffer
	b.WriteString(xml.Header)
	b.WriteString("<" + cl.Action + `Response xmlns="` + namespace(cl.Service) + `">`)
	switch cl.Service {
	case "ec2":
		b.WriteString("<requestId>" + id + "</requestId>")
		b.Write(inner(body))
	case "route53":
		b.Write(inner(body))
	default:
		if body != nil {
			b.WriteString("<" + cl.Action + "Result>")
			b.Write(inner(body))
			b.WriteString("</" + cl.Action + "Result>")
		}
		b.WriteString("<ResponseMetadata><RequestId>" + id + "</RequestId></ResponseMetadata>")
	}
	b.WriteString("</" + cl.Action + "Response>")
	return b.Bytes()
}

func namespace(service string) string {
	switch service {
	case "rds":
		return "http://rds.amazonaws.com/doc/2014-10-31/"
	case "autoscaling":
		return "http://autoscaling.amazonaws.com/doc/2011-01-01/"
	case "elasticloadbalancing":
		return "http://elasticloadbalancing.amazonaws.com/doc/2015-12-01/"
	case "iam":
		return "https://iam.amazonaws.com/doc/2010-05-08/"
	case "route53":
		return "https://route53.amazonaws.com/doc/2013-04-01/"
	case "sts":
		return "https://sts.amazonaws.com/doc/2011-06-15/"
	}
	return "http://ec2.amazonaws.com/doc/2016-11-15/"
}

// inner is an element's content without the element.
func inner(body any) []byte {
	if body == nil {
		return nil
	}
	var b bytes.Buffer
	enc := xml.NewEncoder(&b)
	if err := enc.EncodeElement(body, xml.StartElement{Name: xml.Name{Local: "x"}}); err != nil {
		return nil
	}
	return bytes.TrimSuffix(bytes.TrimPrefix(b.Bytes(), []byte("<x>")), []byte("</x>"))
}

// MarshalXML encodes a body, or nothing.
func MarshalXML(body any) []byte {
	if body == nil {
		return nil
	}
	out, err := xml.Marshal(body)
	if err != nil {
		return nil
	}
	return out
}

func marshalJSON(body any) []byte {
	out, err := json.Marshal(body)
	if err != nil {
		return nil
	}
	return out
}

func renderError(cl *Call, e *Error, id string) []byte {
	var b bytes.Buffer
	b.WriteString(xml.Header)
	detail := "<Code>" + escape(e.Code) + "</Code><Message>" + escape(e.Message) + "</Message>"
	switch cl.Service {
	case "ec2":
		b.WriteString("<Response><Errors><Error>" + detail + "</Error></Errors><RequestID>" + id + "</RequestID></Response>")
	case "s3":
		b.WriteString("<Error>" + detail + "<RequestId>" + id + "</RequestId></Error>")
	default:
		if SpeaksJSON(cl.Service) {
			return marshalJSON(struct {
				Type    string `json:"__type"`
				Message string `json:"message"`
			}{e.Code, e.Message})
		}
		if cl.Service == "route53" && e.Code == "InvalidChangeBatch" {
			b.WriteString(`<InvalidChangeBatch xmlns="` + namespace(cl.Service) + `"><Messages><Message>` + escape(e.Message) +
				"</Message></Messages><RequestId>" + id + "</RequestId></InvalidChangeBatch>")
			break
		}
		kind := "Sender"
		if e.Status >= 500 {
			kind = "Receiver"
		}
		b.WriteString("<ErrorResponse><Error><Type>" + kind + "</Type>" + detail + "</Error><RequestId>" + id +
			"</RequestId></ErrorResponse>")
	}
	return b.Bytes()
}

func escape(s string) string {
	var b bytes.Buffer
	_ = xml.EscapeText(&b, []byte(s)) // a bytes.Buffer does not fail
	return b.String()
}

// Response is the response of a client's transport.
func (a *Answer) Response(r *http.Request) *http.Response {
	body := a.body
	if r.Method == http.MethodHead {
		body = nil
	}
	return &http.Response{
		Status: strconv.Itoa(a.Status) + " " + http.StatusText(a.Status), StatusCode: a.Status,
		Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, Request: r,
		Header: a.header, ContentLength: int64(len(body)), Body: io.NopCloser(bytes.NewReader(body)),
	}
}

// Write writes the response of a server.
func (a *Answer) Write(w http.ResponseWriter, r *http.Request) {
	for k, v := range a.header {
		w.Header()[k] = v
	}
	w.WriteHeader(a.Status)
	if r.Method != http.MethodHead {
		_, _ = w.Write(a.body) // a client that left is no fault of the cloud
	}
}

func requestID() string {
	var b [16]byte
	_, _ = rand.Read(b[:]) // never fails (crypto/rand)
	h := hex.EncodeToString(b[:])
	return h[:8] + "-" + h[8:12] + "-" + h[12:16] + "-" + h[16:20] + "-" + h[20:]
}

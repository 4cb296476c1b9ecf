package service

import (
	"bytes"
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"mime"
	"mime/quotedprintable"
	"net"
	"net/mail"
	"net/smtp"
	"net/textproto"
	"strings"
	"time"

	"github.com/google/uuid"
)

// MailConfig configures the SMTP server and the sender of e-mails.
type MailConfig struct {
	Address  string // host and port of the SMTP server
	Security MailSecurity
	TLS      *tls.Config // with the authorities of the server's certificate
	User     string      // "" for no sign-in
	Password string
	From     mail.Address
	Portal   string // address of the portal, without a slash at the end
	Test     bool   // subjects begin with [TEST]
}

// MailSecurity is the encryption of a connection to the SMTP server.
type MailSecurity string

// The ways to encrypt.
const (
	MailStartTLS MailSecurity = "starttls" // required
	MailTLS      MailSecurity = "tls"      // from the first byte
	MailPlain    MailSecurity = "none"
)

// mailTimeout limits an attempt to send, below the time of a task.
const mailTimeout = 12 * time.Second

// refusedMailError reports that the server refused the recipient or the e-mail for good.
type refusedMailError struct{ cause error }

func (e *refusedMailError) Error() string { return e.cause.Error() }

func refusedMail(err error) error {
	var answer *textproto.Error
	if errors.As(err, &answer) && answer.Code >= 500 {
		return &refusedMailError{cause: err}
	}
	return err
}

// send hands an e-mail to the server. Error: refusedMailError.
func (c *MailConfig) send(ctx context.Context, to string, content []byte) error {
	ctx, cancel := context.WithTimeout(ctx, mailTimeout)
	defer cancel()
	conn, err := (&net.Dialer{}).DialContext(ctx, "tcp", c.Address)
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close() }()
	defer context.AfterFunc(ctx, func() { _ = conn.Close() })()
	client, err := c.open(conn)
	if err != nil {
		return err
	}
	err = client.Mail(c.From.Address)
	if err != nil {
		return err
	}
	err = client.Rcpt(to)
	if err != nil {
		return refusedMail(err)
	}
	body, err := client.Data()
	if err != nil {
		return refusedMail(err)
	}
	_, err = body.Write(content)
	err = cmp.Or(err, body.Close())
	if err == nil {
		_ = client.Quit() // the server has the e-mail
	}
	return refusedMail(err)
}

// open begins a conversation over a connection: encrypted and signed in.
func (c *MailConfig) open(conn net.Conn) (*smtp.Client, error) {
	host, _, err := net.SplitHostPort(c.Address)
	if err != nil {
		return nil, err
	}
	secured := &tls.Config{MinVersion: tls.VersionTLS12}
	if c.TLS != nil {
		secured = c.TLS.Clone()
	}
	secured.ServerName = host
	if c.Security == MailTLS {
		conn = tls.Client(conn, secured)
	}
	client, err := smtp.NewClient(conn, host)
	if err != nil {
		return nil, err
	}
	if c.Security == MailStartTLS {
		offered, _ := client.Extension("STARTTLS")
		if !offered {
			return nil, errors.New("the SMTP server does not offer STARTTLS")
		}
		err = client.StartTLS(secured)
	}
	if err == nil && c.User != "" {
		err = client.Auth(smtp.PlainAuth("", c.User, c.Password, host))
	}
	return client, err
}

// letter is the content of an e-mail.
type letter struct {
	ID                          uuid.UUID
	To, Subject, Text, Language string
	At                          time.Time
}

// bytes writes an e-mail. The same letter has the same bytes at each attempt.
func (c *MailConfig) bytes(l letter) ([]byte, error) {
	_, domain, _ := strings.Cut(c.From.Address, "@")
	if c.Test {
		l.Subject = "[TEST] " + l.Subject
	}
	var out bytes.Buffer
	for _, header := range [][2]string{
		{"From", c.From.String()},
		{"To", (&mail.Address{Address: l.To}).String()},
		{"Subject", mime.QEncoding.Encode("utf-8", l.Subject)},
		{"Date", l.At.UTC().Format(time.RFC1123Z)},
		{"Message-ID", "<" + l.ID.String() + "@" + domain + ">"},
		{"Auto-Submitted", "auto-generated"},
		{"Content-Language", l.Language},
		{"MIME-Version", "1.0"},
		{"Content-Type", "text/plain; charset=utf-8"},
		{"Content-Transfer-Encoding", "quoted-printable"},
	} {
		fmt.Fprintf(&out, "%s: %s\r\n", header[0], header[1])
	}
	out.WriteString("\r\n")
	body := quotedprintable.NewWriter(&out)
	_, err := body.Write([]byte(strings.ReplaceAll(l.Text, "\n", "\r\n")))
	return out.Bytes(), cmp.Or(err, body.Close())
}

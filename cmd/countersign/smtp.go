package main

import (
	"errors"
	"fmt"
	"net"
	"net/mail"
	"net/url"
	"strings"

	"countersign/internal/service"
)

// mailSettings say how notices to people are sent by e-mail; docs/operations.md explains them.
type mailSettings struct {
	Address      string               `help:"Host and port of the SMTP server for notifications. If empty, none are sent." name:"smtp-address" env:"COUNTERSIGN_SMTP_ADDRESS"`
	Security     service.MailSecurity `help:"Encryption: starttls (required), tls, or none." name:"smtp-security" enum:"starttls,tls,none" default:"starttls" env:"COUNTERSIGN_SMTP_SECURITY"`
	From         string               `help:"Sender, such as Countersign <countersign@bank.example>." name:"smtp-from" env:"COUNTERSIGN_SMTP_FROM"`
	User         string               `help:"User at the SMTP server." name:"smtp-user" env:"COUNTERSIGN_SMTP_USER"`
	PasswordFile string               `help:"File with the password of that user." name:"smtp-password-file" env:"COUNTERSIGN_SMTP_PASSWORD_FILE"`
	CAFile       string               `help:"CA certificates (PEM) to verify the SMTP server. Default: those of the system." name:"smtp-ca-file" env:"COUNTERSIGN_SMTP_CA_FILE"`
	AllowPlain   bool                 `help:"Allow an SMTP server on another machine without TLS." name:"allow-plain-smtp" env:"COUNTERSIGN_ALLOW_PLAIN_SMTP"`
	Portal       string               `help:"Address of the portal, for the links in e-mails." name:"portal" env:"COUNTERSIGN_PORTAL_URL" placeholder:"URL"`
}

// apply reads the settings into the gateway's. Every wrong one is a sentence that names it.
func (s *mailSettings) apply(g *gateway) error {
	if s.Address == "" {
		if s.From+s.User+s.PasswordFile+s.CAFile != "" {
			return errors.New("COUNTERSIGN_SMTP_ADDRESS: name the SMTP server, or leave out the other COUNTERSIGN_SMTP settings")
		}
		return nil
	}
	host, port, err := net.SplitHostPort(s.Address)
	if err != nil || host == "" || port == "" {
		return errors.New("COUNTERSIGN_SMTP_ADDRESS: give host and port, such as mail.bank.example:587")
	}
	from, err := mail.ParseAddress(s.From)
	if err != nil {
		return errors.New("COUNTERSIGN_SMTP_FROM: give the sender, such as Countersign <countersign@bank.example>")
	}
	portal, err := url.Parse(s.Portal)
	if err != nil || portal.Host == "" || portal.Scheme != "https" && portal.Scheme != "http" {
		return errors.New("COUNTERSIGN_PORTAL_URL: give the address of the portal, such as https://countersign.bank.example, " +
			"for the links in e-mails")
	}
	c := service.MailConfig{
		Address: s.Address, Security: s.Security, From: *from, User: s.User, Portal: strings.TrimSuffix(s.Portal, "/"),
		Test: g.Environment == "TEST",
	}
	if s.Security == service.MailPlain {
		switch {
		case !loopback(host) && !s.AllowPlain:
			return fmt.Errorf("COUNTERSIGN_SMTP_SECURITY: e-mails would travel to %s without TLS: choose starttls or tls", host)
		case !loopback(host) && s.User != "":
			return errors.New("COUNTERSIGN_SMTP_USER: the password would travel without TLS: choose COUNTERSIGN_SMTP_SECURITY=starttls or tls")
		}
	}
	c.Password, err = s.password()
	if err != nil {
		return err
	}
	files := &tlsFiles{prefix: "COUNTERSIGN_SMTP", caFile: s.CAFile, log: g.Log}
	err = files.open()
	if err != nil {
		return err
	}
	c.TLS = files.client()
	g.Mail = &c
	return nil
}

// password reads the password of the user.
func (s *mailSettings) password() (string, error) {
	switch {
	case s.User == "" && s.PasswordFile != "":
		return "", errors.New("COUNTERSIGN_SMTP_USER: name the user of the password")
	case s.User == "":
		return "", nil
	case s.PasswordFile == "":
		return "", errors.New("COUNTERSIGN_SMTP_PASSWORD_FILE: name the file with the password of COUNTERSIGN_SMTP_USER")
	}
	content, err := readPrivateOf("the passwords", "the password file", s.PasswordFile)
	if err != nil {
		return "", fmt.Errorf("COUNTERSIGN_SMTP_PASSWORD_FILE: %w", err)
	}
	password := strings.TrimRight(string(content), "\r\n")
	if password == "" {
		return "", fmt.Errorf("COUNTERSIGN_SMTP_PASSWORD_FILE: %s is empty", s.PasswordFile)
	}
	return password, nil
}

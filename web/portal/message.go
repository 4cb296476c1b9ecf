package portal

import (
	"encoding/hex"
	"strings"

	"countersign/internal/account"
	"countersign/internal/identity"
	"countersign/internal/iso20022"
	"countersign/internal/money"
	"countersign/internal/payment"
	"countersign/views"
	"countersign/views/ui"
)

// messageView is what lists and pages show of a message. What only its document says is added by fillDocument.
func messageView(m payment.Message) views.Message {
	return views.Message{
		InternalID: m.InternalID.String(), GlobalID: string(m.GlobalID), ExternalID: m.ExternalID, EndToEndID: m.Summary.EndToEndID,
		FollowUp: followUp(m), UETR: m.Summary.UETR, Kind: string(m.Kind), Scheme: string(m.Scheme), State: string(m.State), Amount: amountView(m.Summary.Amount),
		DebtorName: m.Summary.DebtorName, DebtorAccount: m.Summary.DebtorAccount,
		CreditorName: m.Summary.CreditorName, CreditorAccount: m.Summary.CreditorAccount,
		CreditorBank: bankName(m.Summary.CreditorAccount, m.Summary.CreditorAgent), StatusReason: statusReason(m),
		Maker: m.MakerName, SubmittedAt: m.CreatedAt, Channel: channelName(string(m.Channel), m.ClientID),
		ContentHash: hex.EncodeToString(m.ContentHash[:]),
	}
}

// fillDocument adds what only the document says.
func fillDocument(view *views.Message, document *iso20022.CustomerCreditTransferInitiation) {
	_, tx, single := document.SinglePayment()
	if !single {
		return
	}
	if tx.Creditor != nil {
		view.CreditorAddress = addressLines(tx.Creditor.PostalAddress)
	}
	kind, text := remittanceOf(tx.RemittanceInformation)
	view.RemittanceKind, view.Remittance = remittanceName(kind), remittanceShown(kind, text)
}

// fillIncoming adds what only the pacs.008 of an incoming payment says.
func fillIncoming(view *views.Message, m payment.Message) {
	document, _ := iso20022.DecodeXML(m.Content)
	transfer, ok := document.(*iso20022.FIToFICustomerCreditTransfer)
	if !ok {
		return
	}
	transaction, ok := transfer.SinglePayment()
	if !ok {
		return
	}
	kind, text := remittanceOf(transaction.RemittanceInformation)
	view.RemittanceKind, view.Remittance = remittanceName(kind), remittanceShown(kind, text)
}

func amountView(amount money.Amount) ui.Amount {
	return ui.Amount{Currency: string(amount.Currency()), Value: amount.Swiss()}
}

// bankName is the bank that holds an account, as far as it is known: from the Swiss list, or as the document names it.
func bankName(iban, agent string) string {
	parsed, err := account.Parse(iban)
	if err == nil {
		bank, found := account.BankOf(parsed)
		switch {
		case found && !bank.BIC.IsZero():
			return bank.Name + ", " + bank.BIC.String()
		case found:
			return bank.Name
		}
	}
	return agent
}

func addressLines(address *iso20022.PostalAddress24) []string {
	if address == nil {
		return nil
	}
	var lines []string
	add := func(parts ...string) {
		line := strings.TrimSpace(strings.Join(parts, " "))
		if line != "" {
			lines = append(lines, line)
		}
	}
	add(address.Department)
	add(address.BuildingName)
	add(address.StreetName, address.BuildingNumber)
	add(address.PostBox)
	for _, line := range address.AddressLine {
		add(line)
	}
	add(address.PostCode, address.TownName)
	if address.Country != "" {
		add(countryName(address.Country))
	}
	return lines
}

func remittanceName(kind string) string {
	switch kind {
	case remittanceQR:
		return "QR reference"
	case remittanceReference:
		return "Creditor reference"
	case remittanceText:
		return "Message"
	}
	return ""
}

// remittanceShown groups a reference as invoices print it.
func remittanceShown(kind, text string) string {
	switch kind {
	case remittanceQR:
		reference, err := account.ParseQRReference(text)
		if err == nil {
			return reference.Grouped()
		}
	case remittanceReference:
		reference, err := account.ParseCreditorReference(text)
		if err == nil {
			return reference.Grouped()
		}
	}
	return text
}

// statusReason is why a message failed or a recall was refused: code and text.
func statusReason(m payment.Message) string {
	if m.State != payment.StateFailed && m.State != payment.StateRefused {
		return ""
	}
	return strings.TrimSpace(m.StatusCode + " " + m.StatusText)
}

// channelName says where something came in: "Portal", "API, client demo-backoffice".
func channelName(channel, client string) string {
	switch identity.Channel(channel) {
	case identity.ChannelPortal:
		return "Portal"
	case identity.ChannelAPI:
		return "API, client " + client
	case identity.ChannelClearing:
		return "Clearing"
	case identity.ChannelClock:
		return "Time limit"
	}
	return channel
}

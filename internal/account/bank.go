package account

import (
	_ "embed"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
)

//go:embed data/bank.tsv
var bankTable string

// IID is a Swiss or Liechtenstein bank code (Institutsidentifikation, the member of the clearing system CHBCC) of five digits with leading
// zeros. The zero value means "none".
type IID struct {
	text string
}

// ParseIID reads a bank code of one to five digits, with or without leading zeros, and fills it up to five. It refuses with ErrEmpty
// (CH21), ErrCharacter or ErrLength (RC01).
func ParseIID(text string) (IID, error) {
	switch {
	case text == "":
		return IID{}, &Error{ErrEmpty, "CH21", "Enter a bank code (IID)."}
	case !allDigits(text):
		return IID{}, &Error{ErrCharacter, "RC01", "Enter the bank code (IID) using digits only."}
	case len(text) > 5:
		return IID{}, &Error{ErrLength, "RC01", "Enter a bank code (IID) with up to 5 digits."}
	}
	return IID{text: "00000"[len(text):] + text}, nil
}

// String is the code with its leading zeros: 00762.
func (i IID) String() string {
	return i.text
}

// Short is the code without leading zeros, as the ISO element MmbId of clearing system CHBCC carries it: 762.
func (i IID) Short() string {
	return strings.TrimLeft(i.text, "0")
}

// SICNumber is the code as the clearing system CHSIC writes it: six digits, the last of them a check digit (recursive modulo 10, as the
// public samples of SIX have it: 00778 becomes 007781). It is "" for no code.
func (i IID) SICNumber() string {
	if i.text == "" {
		return ""
	}
	return i.text + string(rune('0'+(10-recursiveModulo10(i.text))%10))
}

// ParseSICNumber reads a bank code as the clearing system CHSIC writes it. It refuses with ErrLength, ErrCharacter or ErrCheckDigits
// (RC01).
func ParseSICNumber(text string) (IID, error) {
	const length = 6
	switch {
	case !allDigits(text):
		return IID{}, &Error{ErrCharacter, "RC01", "Enter the bank's SIC number using digits only."}
	case len(text) != length:
		return IID{}, &Error{ErrLength, "RC01", "Enter the 6-digit SIC number of the bank. It consists of the bank code (IID) and a check digit."}
	}
	iid := IID{text: text[:length-1]}
	if iid.SICNumber() != text {
		return IID{}, &Error{ErrCheckDigits, "RC01", "Check the bank's SIC number. The last digit, which is the check digit, is wrong."}
	}
	return iid, nil
}

// IsQR reports whether the code is in the range kept for QR-IBANs, 30000 to 31999.
func (i IID) IsQR() bool {
	return "30000" <= i.text && i.text <= "31999"
}

// Bank is an entry of the Swiss and Liechtenstein bank list.
type Bank struct {
	IID  IID
	BIC  BIC // zero when the list has none
	Name string
}

// Banks is the whole embedded list, in the order of the codes.
func Banks() []Bank {
	return slices.SortedFunc(maps.Values(banks()), func(one, other Bank) int { return strings.Compare(one.IID.text, other.IID.text) })
}

// BankByIID finds a bank by its code.
func BankByIID(iid IID) (Bank, bool) {
	bank, found := banks()[iid]
	return bank, found
}

// BankOf finds the bank that holds an account. Only Swiss and Liechtenstein accounts can be found:
// for other countries there is no list and the creditor agent stays unknown.
func BankOf(iban IBAN) (Bank, bool) {
	iid, found := iban.IID()
	if !found {
		return Bank{}, false
	}
	return BankByIID(iid)
}

// banks is the embedded list by code, read once. It is part of the program, and TestBankTable fails on a row that cannot be read, so the
// error is nil in every release.
var banks = sync.OnceValue(func() map[IID]Bank {
	embedded, _ := readBanks(bankTable)
	return embedded
})

// readBanks reads the rows of a table; rows that cannot be read are left out and make up the error.
func readBanks(table string) (map[IID]Bank, error) {
	list := map[IID]Bank{}
	var broken []error
	for line := range tableLines(table) {
		bank, err := readBank(line)
		if err != nil {
			broken = append(broken, fmt.Errorf("read bank %q: %w", line, err))
			continue
		}
		list[bank.IID] = bank
	}
	return list, errors.Join(broken...)
}

// readBank reads a row of code, BIC (may be empty) and name.
func readBank(line string) (Bank, error) {
	code, rest, _ := strings.Cut(line, "\t")
	bic, name, _ := strings.Cut(rest, "\t")
	iid, err := ParseIID(code)
	if err != nil {
		return Bank{}, err
	}
	bank := Bank{IID: iid, Name: name}
	if bic == "" {
		return bank, nil
	}
	bank.BIC, err = ParseBIC(bic)
	return bank, err
}

package demo

import (
	"bytes"
	"fmt"
	"time"

	"countersign/internal/account"
	"countersign/internal/rulebook"
	"countersign/internal/store"
)

// directorySource is the source of the demo's directories, as pages show it.
const directorySource = "the demo's own: the public bank list of the program and the banks of its samples"

// swissSamples are bank codes of samples that the public list lacks.
var swissSamples = []string{"00762", "08810", "21966", "21977", "31999"}

// europeanBanks are the banks of the sample accounts, with neutral BICs. The last one does not take instant payments, so that a demo can
// show the refusal.
const europeanBanks = `DE00762011;AAAADEFFXXX;Demo bank of the sample account DE 00762011;yes
DE37040044;AAAADEFFXXX;Demo bank of the sample account DE 37040044;yes
FR20041;BBBBFRPPXXX;Demo bank of the sample account FR 20041;yes
NLABNA;AAAANL2AXXX;Demo bank of the sample account NL ABNA;yes
CH21966;BBBBCHZZXXX;Demo bank of the sample account CH 21966;yes
AT19043;AAAAATWWXXX;Demo bank of the sample account AT 19043;yes
BE539;AAAABEBBXXX;Demo bank of the sample account BE 539;yes
IT05428;AAAAITMMXXX;Demo bank of the sample account IT 05428;yes
ES21000418;AAAAESMMXXX;Demo bank of the sample account ES 2100, without instant payments;no
`

// registryBanks are the bank codes of the example accounts in the IBAN registry of the other SEPA countries. Each gets a neutral BIC.
var registryBanks = []string{
	"AD0001", "AL212", "BGBNBG", "CH00762", "CY002", "CZ0800", "DK0040", "EE22", "FI123456", "GBNWBK", "GINWBK", "GR011", "HR1001005", "HU117",
	"IEAIBK", "IS0159", "LT10000", "LU001", "LVBANK", "MC11222", "MDAG", "ME505", "MK250", "MTMALT", "NO8601", "PL10901014", "PT0002",
	"ROAAAA", "RS260", "SE500", "SI26330", "SK1200", "SM03225", "VA001",
}

// Directories are the directories of the demo's realms for a time: of the first day of its quarter, so that a demo's directory is never
// stale and a start on another day changes nothing.
func Directories(at time.Time) ([]store.DirectoryImport, error) {
	year, month, _ := at.UTC().Date()
	edition := time.Date(year, month-(month-1)%3, 1, 0, 0, 0, 0, time.UTC)
	swiss, european := begun(edition), begun(edition)
	european.WriteString(europeanBanks)
	for _, code := range registryBanks {
		country, number := code[:2], code[2:]
		fmt.Fprintf(european, "%s;AAAA%sMMXXX;Demo bank of the sample account %s %s;yes\n", code, country, country, number)
	}
	listed := map[string]bool{}
	for _, bank := range account.Banks() {
		listed[bank.IID.String()] = true
		for _, country := range []string{"CH", "LI"} {
			fmt.Fprintf(swiss, "%s%s;%s;%s;yes\n", country, bank.IID, bank.BIC, bank.Name)
			if !bank.BIC.IsZero() && !bank.IID.IsQR() {
				fmt.Fprintf(european, "%s%s;%s;%s;yes\n", country, bank.IID, bank.BIC, bank.Name)
			}
		}
	}
	for _, code := range swissSamples {
		if !listed[code] {
			fmt.Fprintf(swiss, "CH%s;;Demo bank of the sample accounts CH %s;yes\n", code, code)
		}
	}
	var made []store.DirectoryImport
	for scheme, text := range map[rulebook.Scheme]*bytes.Buffer{rulebook.SchemeSIC: swiss, rulebook.SchemeSCT: european} {
		read, err := account.ParseDirectory(text.Bytes())
		if err != nil {
			return nil, fmt.Errorf("read the directory of %s: %w", scheme, err)
		}
		made = append(made, store.DirectoryImport{Scheme: scheme, Directory: read, Source: directorySource})
	}
	return made, nil
}

func begun(edition time.Time) *bytes.Buffer {
	return bytes.NewBufferString("edition;" + edition.Format(time.DateOnly) + "\nprefix;bic;name;instant\n")
}

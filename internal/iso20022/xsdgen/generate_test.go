package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestCommittedFilesAreWhatTheSchemasGenerate(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	if err := generate("../schema", folder); err != nil {
		t.Fatal(err)
	}
	files, _ := filepath.Glob(filepath.Join(folder, "*.go"))
	if len(files) != 2*len(messages)+5 {
		t.Errorf("%d files generated", len(files))
	}
	for _, file := range files {
		want, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		got, err := os.ReadFile(filepath.Join("..", filepath.Base(file)))
		if err != nil || !bytes.Equal(want, got) {
			t.Errorf("%s is not up to date: run go generate ./internal/iso20022 (%v)", filepath.Base(file), err)
		}
	}
}

func TestNamesAreFullWords(t *testing.T) {
	t.Parallel()
	for tag, want := range map[string]string{
		"CdtTrfTxInf": "CreditTransferTransactionInformation", "Dbtr": "Debtor", "EndToEndId": "EndToEndID", "UETR": "UETR",
		"ReqdExctnDt": "RequestedExecutionDate", "IntrBkSttlmAmt": "InterbankSettlementAmount", "OrgnlUETR": "OriginalUETR",
		"IntrmyAgt1Acct": "IntermediaryAgent1Account", "BICOrBEI": "BICOrBEI", "AnyBIC": "AnyBIC", "XMLMsgNm": "XMLMessageName", "QId": "QueueID",
	} {
		if got, err := goName(tag); got != want || err != nil {
			t.Errorf("%s becomes %s, want %s (%v)", tag, got, want, err)
		}
	}
}

// TestTheSwissVariantIsRead reads the schema of the Swiss variant of an order, whose types restrict others. It may not be copied into the
// project, so it is read where it is at hand.
func TestTheSwissVariantIsRead(t *testing.T) {
	t.Parallel()
	shared := os.Getenv("COUNTERSIGN_SHARED")
	if shared == "" {
		shared = filepath.Join("..", "..", "..", "..", "shared")
	}
	folder := filepath.Join(shared, "iso20022", "xsd")
	if _, err := os.Stat(filepath.Join(folder, "pain.001.001.09.ch.03.xsd")); err != nil {
		t.Skip("set COUNTERSIGN_SHARED to the folder that holds iso20022/xsd/pain.001.001.09.ch.03.xsd")
	}
	swiss := newCatalogue()
	err := swiss.read(folder, message{name: "pain.001.001.09.ch.03", constant: "Swiss03", goType: "SwissOrder", file: "swiss"})
	if err != nil {
		t.Fatal(err)
	}
	restricted := swiss.complex["AccountIdentification4Choice_pain001_ch"]
	if restricted == nil || !restricted.choice || len(restricted.elements) != 2 || restricted.elements[0].tag != "IBAN" {
		t.Errorf("the restricted account is read as %+v", restricted)
	}
}

func TestUnknownPartsStopTheGeneration(t *testing.T) {
	t.Parallel()
	if _, err := goName("DbtrXyzAcct"); err == nil || !strings.Contains(err.Error(), `"Xyz"`) {
		t.Errorf("unknown word: %v", err)
	}
	original, err := os.ReadFile("../schema/camt.025.001.05.xsd")
	if err != nil {
		t.Fatal(err)
	}
	for name, replacement := range map[string][2]string{
		"unknown word":    {`name="ReqHdlg"`, `name="ReqFoo"`},
		"unknown facet":   {`<xs:maxLength value="140"/>`, `<xs:whiteSpace value="collapse"/>`},
		"unknown pattern": {`[a-zA-Z0-9]{1,4}`, `[a-z]+`},
		"unknown base":    {`base="xs:dateTime"`, `base="xs:duration"`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			changed := strings.Replace(string(original), replacement[0], replacement[1], 1)
			if changed == string(original) {
				t.Fatal("nothing replaced")
			}
			folder := t.TempDir()
			if err := os.WriteFile(filepath.Join(folder, "camt.025.001.05.xsd"), []byte(changed), 0o600); err != nil {
				t.Fatal(err)
			}
			catalogue := newCatalogue()
			err := catalogue.read(folder, messageOf("camt.025.001.05"))
			if err == nil {
				err = catalogue.write(t.TempDir())
			}
			if err == nil {
				t.Error("generated all the same")
			}
		})
	}
}

package main

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"
)

func TestCommittedFilesAreWhatTheSchemasGenerate(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	if err := generate("../../internal/iso20022/schema", folder); err != nil {
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
		got, err := os.ReadFile(filepath.Join("../../internal/iso20022", filepath.Base(file)))
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

// TestATypeThatRestrictsAnotherIsRead reads a schema in which a type is a restriction of another one, which is how national variants narrow
// a message.
func TestATypeThatRestrictsAnotherIsRead(t *testing.T) {
	t.Parallel()
	original, err := os.ReadFile("../../internal/iso20022/schema/camt.025.001.05.xsd")
	if err != nil {
		t.Fatal(err)
	}
	whole := regexp.MustCompile(`(?s)(<xs:complexType name="OriginalMessageAndIssuer1">\s*)(<xs:sequence>.*?</xs:sequence>)`)
	changed := whole.ReplaceAll(original, []byte(`$1<xs:complexContent><xs:restriction base="OriginalMessageAndIssuer0">$2`+
		`</xs:restriction></xs:complexContent>`))
	if bytes.Equal(changed, original) {
		t.Fatal("nothing replaced")
	}
	folder := t.TempDir()
	err = os.WriteFile(filepath.Join(folder, "camt.025.001.05.xsd"), changed, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	plain, restricted := newCatalogue(), newCatalogue()
	err = errors.Join(plain.read("../../internal/iso20022/schema", messageOf("camt.025.001.05")), restricted.read(folder, messageOf("camt.025.001.05")))
	if err != nil {
		t.Fatal(err)
	}
	got, want := restricted.complex["OriginalMessageAndIssuer1"], plain.complex["OriginalMessageAndIssuer1"]
	if got == nil || len(got.elements) == 0 || !reflect.DeepEqual(got, want) {
		t.Errorf("the restriction is read as %+v, want what it holds: %+v", got, want)
	}
}

func TestUnknownPartsStopTheGeneration(t *testing.T) {
	t.Parallel()
	if _, err := goName("DbtrXyzAcct"); err == nil || !strings.Contains(err.Error(), `"Xyz"`) {
		t.Errorf("unknown word: %v", err)
	}
	original, err := os.ReadFile("../../internal/iso20022/schema/camt.025.001.05.xsd")
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

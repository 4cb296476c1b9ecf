package orderform

import (
	"bytes"

	"countersign/internal/iso20022/codec"
)

// cutJSON finds the payments of an order in JSON, the value of the member Document; none where it is malformed. Its reader reports members
// that stand in wrong places.
func cutJSON(content []byte) cutting {
	c := jsonCutter{content: content, reader: codec.NewJSONReader(content), cutting: cutting{json: true}}
	defer c.reader.Close()
	c.object(func(name string, _ int) {
		if name != "CstmrCdtTrfInitn" {
			c.skip()
			return
		}
		c.object(func(name string, _ int) {
			switch name {
			case "GrpHdr":
				c.object(func(name string, start int) { c.total(&c.head, name, start) })
			case "PmtInf":
				c.each(c.information)
			default:
				c.skip()
			}
		})
	})
	if c.broken {
		return cutting{json: true}
	}
	return c.cutting
}

// jsonCutter notes the places of an order while its reader passes them.
type jsonCutter struct {
	cutting
	content []byte
	reader  *codec.JSONReader
	broken  bool
}

// object calls member for each member of the next value, if it is an object. member must read the value.
func (c *jsonCutter) object(member func(name string, start int)) {
	if c.reader.Next() != '{' {
		c.skip()
		return
	}
	c.broken = c.broken || c.reader.Bracket() != nil
	for !c.broken {
		name, start, ok, err := c.reader.Name()
		c.broken = err != nil
		if !ok || c.broken {
			return
		}
		member(string(name), start)
	}
}

// each calls entry for each entry of the next value, if it is an array, else for the value. entry must read it.
func (c *jsonCutter) each(entry func()) {
	if c.reader.Next() != '[' {
		entry()
		return
	}
	c.broken = c.broken || c.reader.Bracket() != nil
	for !c.broken {
		switch c.reader.Next() {
		case ']':
			c.broken = c.reader.Bracket() != nil
			return
		case 0:
			c.broken = true
		default:
			entry()
		}
	}
}

func (c *jsonCutter) skip() { c.broken = c.reader.Skip() != nil || c.broken }

func (c *jsonCutter) information() {
	at := len(c.infos)
	c.infos = append(c.infos, informationSpan{span: span{from: c.reader.Start()}})
	c.object(func(name string, start int) {
		if name != "CdtTrfTxInf" {
			c.total(&c.infos[at].totals, name, start)
			return
		}
		c.each(func() {
			from := c.reader.Start()
			c.skip()
			c.infos[at].payments = append(c.infos[at].payments, span{from, c.reader.End()})
		})
	})
	c.infos[at].until = c.reader.End()
}

// total notes the value of a total, and reads the value of any member.
func (c *jsonCutter) total(t *totals, name string, start int) {
	c.reader.Next() // past the colon
	value := span{from: c.reader.Start()}
	c.skip()
	value.until = c.reader.End()
	switch name {
	case "NbOfTxs":
		t.count = value
	case "CtrlSum":
		t.sum, t.sumMember = value, c.withComma(span{start, value.until})
	}
}

// withComma widens a member to the comma behind it, or else the one before it.
func (c *jsonCutter) withComma(member span) span {
	const space = " \t\r\n"
	behind := bytes.TrimLeft(c.content[member.until:], space)
	if len(behind) > 0 && behind[0] == ',' {
		return span{member.from, len(c.content) - len(behind) + 1}
	}
	before := bytes.TrimRight(c.content[:member.from], space)
	if len(before) > 0 && before[len(before)-1] == ',' {
		return span{len(before) - 1, member.until}
	}
	return member
}

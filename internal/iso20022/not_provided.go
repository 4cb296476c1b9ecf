package iso20022

// NotProvided stands where the schema asks for a text and there is none: an order that names no bank, a report about a message without an
// id (ISO placeholder).
const NotProvided = "NOTPROVIDED"

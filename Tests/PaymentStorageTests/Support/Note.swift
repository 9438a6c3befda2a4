import PaymentStorage
import StrictJSON

/// A record of somebody else's journal.
struct Note: JournalRecord, Equatable {
    var text: String

    init(text: String) {
        self.text = text
    }

    var typeWord: StaticString { "note" }

    func encodePayload(into writer: inout JSONWriter) {
        writer.beginObject()
        writer.name("text")
        writer.string(text)
        writer.endObject()
    }

    init?(typeWord: String, payload: JSONValue) {
        guard typeWord == "note", let text = payload["text"]?.stringValue else { return nil }
        self.text = text
    }
}

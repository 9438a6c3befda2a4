import PaymentCore
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

/// The state of an embedded store with notes.
struct NoteImage: StoreImage {
    let texts: [String]

    init(texts: [String]) {
        self.texts = texts
    }

    /// So many notes, which have numbers for texts.
    init(count: UInt64) {
        texts = (0..<count).map { "\($0)" }
    }

    func items(_ body: (StoreRecord) -> Void) {
        for text in texts { body(StoreRecord(Note(text: text))) }
    }

    func check(_ item: StoreRecord) throws {
        if item.word != "note" { throw UnexpectedStoreRecord(word: item.word) }
    }
}

/// Equivalent names of StoreKit and OnsideKit, with their counterparts in this interface.
public struct FamiliarName: Sendable, Hashable {
    /// The names in StoreKit, the usual one first; empty if it has none.
    public let storeKit: [String]
    /// The names in OnsideKit and its documentation; empty if it has none.
    public let onsideKit: [String]
    /// The counterparts; empty if there are none, and the note gives the reason.
    public let counterparts: [Counterpart]
    /// A remark on the counterparts, without a full stop; possibly empty.
    public let note: String

    /// Creates an entry from names separated by commas.
    init(
        _ storeKit: String, _ onsideKit: String, _ counterparts: [Counterpart],
        _ note: String = ""
    ) {
        self.storeKit = Self.split(storeKit)
        self.onsideKit = Self.split(onsideKit)
        self.counterparts = counterparts
        self.note = note
    }

    /// The counterparts and the note as a part of a sentence.
    ///
    /// - Parameter quote: The quotation mark around names.
    /// - Returns: The text, such as `'finish': by id`.
    public func here(quote: String) -> String {
        guard !counterparts.isEmpty else { return "nothing: \(note)" }
        let known = counterparts.map { $0.text(quote: quote) }.joined(separator: ", ")
        return note.isEmpty ? known : "\(known): \(note)"
    }

    /// The first suggested name that is accepted; nil if none is.
    func word(among accepted: some Sequence<String>) -> String? {
        let accepted = Set(accepted)
        return counterparts.flatMap(\.words).first { accepted.contains($0) }
    }

    private static func split(_ names: String) -> [String] {
        names.split(separator: ",").map { String($0.drop { $0 == " " }) }
    }
}

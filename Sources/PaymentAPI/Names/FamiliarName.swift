/// Names of StoreKit and OnsideKit that mean the same, with their counterparts here.
public struct FamiliarName: Sendable, Hashable {
    /// The names in StoreKit, the usual one first; empty if StoreKit has nothing like it.
    public let storeKit: [String]
    /// The names in OnsideKit and in its documentation; empty if OnsideKit has nothing like it.
    public let onsideKit: [String]
    /// The names of ours that stand for them; empty if there are none, and the note says why.
    public let counterparts: [Counterpart]
    /// A remark on the counterparts, without a full stop; may be empty.
    public let note: String

    /// Makes an entry; names are separated by commas.
    init(
        _ storeKit: String, _ onsideKit: String, _ counterparts: [Counterpart],
        _ note: String = ""
    ) {
        self.storeKit = Self.split(storeKit)
        self.onsideKit = Self.split(onsideKit)
        self.counterparts = counterparts
        self.note = note
    }

    /// The counterparts and the note, as part of a sentence.
    ///
    /// - Parameter quote: What stands on both sides of a name of ours.
    /// - Returns: Such as `'finish': by id`.
    public func here(quote: String) -> String {
        guard !counterparts.isEmpty else { return "nothing: \(note)" }
        let known = counterparts.map { $0.text(quote: quote) }.joined(separator: ", ")
        return note.isEmpty ? known : "\(known): \(note)"
    }

    /// The first name of ours among those that are accepted at some place; nil if none is.
    func word(among accepted: some Sequence<String>) -> String? {
        let accepted = Set(accepted)
        return counterparts.flatMap(\.words).first { accepted.contains($0) }
    }

    private static func split(_ names: String) -> [String] {
        names.split(separator: ",").map { String($0.drop { $0 == " " }) }
    }
}

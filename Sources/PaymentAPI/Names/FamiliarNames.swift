/// The names that people bring along from StoreKit and OnsideKit.
///
/// Suggestions on the wire, those of `payqueuectl` and the table in the documentation are all made
/// from this list.
public enum FamiliarNames {
    /// Entries that belong together.
    public struct Group: Sendable {
        /// The subject that they share.
        public let title: String
        /// The entries, in the order in which the documentation shows them.
        public let names: [FamiliarName]
    }

    /// All entries.
    public static let groups: [Group] = [
        Group(title: "Queue and observers", names: queue),
        Group(title: "Payments and transactions", names: transactions),
        Group(title: "States and failures", names: states),
        Group(title: "Products", names: products),
        Group(title: "Accounts, storefronts and gates", names: accounts),
        Group(title: "Errors", names: errors),
        Group(title: "Purchase validation", names: validation),
        Group(title: "StoreKit 2", names: storeKit2),
        Group(title: "Local testing", names: testing),
    ]

    /// The entry of a name.
    ///
    /// Letter case, punctuation other than dots, argument labels and the type in front count for
    /// nothing: `SKPaymentQueue.add(_:)`, `add(_:completion:)` and `Add` lead to one entry.
    ///
    /// - Parameter name: The name as it was written.
    /// - Returns: Nil if neither StoreKit nor OnsideKit has such a name.
    public static func find(_ name: String) -> FamiliarName? {
        guard name.utf8.count <= longestBytes else { return nil }
        for key in keys(of: name) {
            if let found = index[key] { return found }
        }
        return nil
    }

    /// The name of ours that stands for a familiar one and is accepted at some place; nil if there
    /// is none.
    public static func counterpart(of given: String, among accepted: [String]) -> String? {
        find(given)?.word(among: accepted)
    }

    /// The name that was probably meant by one that is not accepted at some place.
    ///
    /// - Parameters:
    ///   - given: The name that was written.
    ///   - accepted: The names that are accepted there.
    /// - Returns: The counterpart of the name if it is accepted there, else the accepted name that
    ///   is nearest in letters; nil if there is neither.
    public static func suggestion(for given: String, among accepted: [String]) -> String? {
        counterpart(of: given, among: accepted) ?? NearestName.find(given, in: accepted)
    }

    /// A sentence without a full stop about a name; nil if it is not a familiar one.
    public static func sentence(about given: String) -> String? {
        find(given).map { "here '\(given)' is \($0.here(quote: "'"))" }
    }

    /// Longer names are not looked up; no name of the list is half as long.
    private static let longestBytes = 256

    private static let index: [String: FamiliarName] = {
        var index: [String: FamiliarName] = [:]
        let names = groups.flatMap(\.names).flatMap { entry in
            (entry.storeKit + entry.onsideKit).map { (keys: keys(of: $0), entry: entry) }
        }
        // A name in full wins over one that is found by a part of it.
        for place in 0..<3 {
            for (keys, entry) in names where place < keys.count && index[keys[place]] == nil {
                index[keys[place]] = entry
            }
        }
        return index
    }()

    /// The keys of a name: all of it, then without the type in front, then without labels, too.
    private static func keys(of name: String) -> [String] {
        let stem = name.prefix { $0 != "(" && $0 != ":" }
        let start = stem.lastIndex(of: ".").map { name.index(after: $0) } ?? name.startIndex
        return [folded(name), folded(name[start...]), folded(stem[start...])].filter { !$0.isEmpty }
    }

    private static func folded(_ text: some StringProtocol) -> String {
        String(decoding: text.utf8.compactMap(letter), as: UTF8.self)
    }

    private static func letter(_ byte: UInt8) -> UInt8? {
        switch byte {
        case 0x41...0x5A: byte | 0x20
        case UInt8(ascii: "."), 0x30...0x39, 0x61...0x7A, 0x80...: byte
        default: nil
        }
    }
}

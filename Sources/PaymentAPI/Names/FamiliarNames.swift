/// The names of StoreKit and OnsideKit, with their counterparts in this interface.
///
/// The suggestions in errors, those of `payqueuectl` and the table in the documentation use this
/// list.
public enum FamiliarNames {
    /// A group of related entries.
    public struct Group: Sendable {
        /// The heading of the group.
        public let title: String
        /// The entries, in the order of the documentation.
        public let names: [FamiliarName]
    }

    /// All groups, in the order of the documentation.
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

    /// Finds the entry of a name.
    ///
    /// Case, punctuation other than dots, argument labels and a leading type are ignored:
    /// `SKPaymentQueue.add(_:)`, `add(_:completion:)` and `Add` have the same entry.
    ///
    /// - Parameter name: The name as written.
    /// - Returns: The entry; nil if the name is not in the list.
    public static func find(_ name: String) -> FamiliarName? {
        guard name.utf8.count <= longestBytes else { return nil }
        for key in keys(of: name) {
            if let found = index[key] { return found }
        }
        return nil
    }

    /// The accepted counterpart of a familiar name; nil if there is none.
    public static func counterpart(of given: String, among accepted: [String]) -> String? {
        find(given)?.word(among: accepted)
    }

    /// The suggestion for a name that is not accepted.
    ///
    /// - Parameters:
    ///   - given: The name as written.
    ///   - accepted: The accepted names.
    /// - Returns: The accepted counterpart of the name, else the nearest accepted name; nil if
    ///   there is neither.
    public static func suggestion(for given: String, among accepted: [String]) -> String? {
        counterpart(of: given, among: accepted) ?? NearestName.find(given, in: accepted)
    }

    /// The nearest accepted name, and a sentence about a familiar name. There is no sentence where a name that is
    /// merely similar was found, which it could contradict, nor for a value that has no counterpart among the accepted ones.
    static func advice(
        for given: String, among accepted: [String], isValue: Bool = false
    ) -> (didYouMean: String?, hint: String?) {
        let nearest = suggestion(for: given, among: accepted)
        let isCounterpart = counterpart(of: given, among: accepted) != nil
        let mayHint = isCounterpart || nearest == nil && !isValue
        return (nearest, mayHint ? sentence(about: given) : nil)
    }

    /// A sentence about a familiar name, without a full stop; nil for other names.
    public static func sentence(about given: String) -> String? {
        find(given).map { "here '\(given)' is \($0.here(quote: "'"))" }
    }

    /// The length above which names are not looked up, in bytes. It is twice that of the longest
    /// name in the list.
    private static let longestBytes = 256

    private static let index: [String: FamiliarName] = {
        var index: [String: FamiliarName] = [:]
        let names = groups.flatMap(\.names).flatMap { entry in
            (entry.storeKit + entry.onsideKit).map { (keys: keys(of: $0), entry: entry) }
        }
        // A whole name takes precedence over a part of another one.
        for place in 0..<3 {
            for (keys, entry) in names where place < keys.count && index[keys[place]] == nil {
                index[keys[place]] = entry
            }
        }
        return index
    }()

    /// The keys of a name: the whole name, without the leading type, and also without argument
    /// labels.
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

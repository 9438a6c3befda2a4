/// A reader of bytes from elsewhere, with a rule that must hold for every input.
///
/// `make fuzz` draws inputs by coverage; `FuzzTests` runs the kept ones.
public struct FuzzTarget: Sendable {
    /// The name, which is also that of its folder below `Tests/Fuzz/Corpus`.
    public let name: String
    /// The length of the longest input that is drawn, in bytes.
    public let limitBytes: Int
    private let body: @Sendable ([UInt8]) throws(Violation) -> Void

    init(
        _ name: String, limitBytes: Int = 2048,
        _ body: @escaping @Sendable ([UInt8]) throws(Violation) -> Void
    ) {
        self.name = name
        self.limitBytes = limitBytes
        self.body = body
    }

    /// Reads an input.
    ///
    /// - Throws: The rule that does not hold. A trap of the reader ends the process.
    public func run(_ input: [UInt8]) throws(Violation) {
        try body(input)
    }

    /// All targets.
    public static let all = [
        FuzzTarget("framing", limitBytes: 512, Framing.check),
        FuzzTarget("json", Texts.check),
        FuzzTarget("scanner", Requests.check),
        FuzzTarget("parameters", Parameters.check),
        FuzzTarget("journal", limitBytes: 4096, JournalLines.check),
        FuzzTarget("snapshot", limitBytes: 4096, Snapshots.check),
        FuzzTarget("archive", limitBytes: 4096, ArchiveFiles.check),
        FuzzTarget("index", limitBytes: 1024, IndexFiles.check),
        FuzzTarget("storekit", limitBytes: 4096, Catalogues.checkStoreKit),
        FuzzTarget("catalogue", limitBytes: 4096, Catalogues.checkOwn),
        FuzzTarget("configuration", Configurations.check),
        FuzzTarget("token", Tokens.check),
        FuzzTarget("answers", limitBytes: 4096, Answers.check),
    ]

    /// The target with a name; nil if there is none.
    public static func named(_ name: String) -> FuzzTarget? { all.first { $0.name == name } }
}

/// A rule that does not hold for an input.
public struct Violation: Error, Hashable, CustomStringConvertible {
    /// The rule and the values that contradict it.
    public let description: String

    init(_ description: String) {
        self.description = description
    }
}

/// Throws unless a condition holds.
func require(
    _ condition: Bool, _ rule: @autoclosure () -> String
) throws(Violation) {
    guard condition else { throw Violation(rule()) }
}

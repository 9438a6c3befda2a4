/// The error about a catalogue file that cannot be used, with the place and the reason. The message
/// never contains the key pair of the file.
public struct CatalogueFailure: Error, Sendable, Hashable {
    /// The path of the file, as given by the caller.
    public let file: String
    /// The line of the wrong value, from 1.
    public let line: Int
    /// The column in characters, from 1.
    public let column: Int
    /// The path of the wrong value, such as `products[2].prices.DE.amount`; nil for the outermost
    /// value and for invalid JSON.
    public let path: String?
    /// The problem with the value.
    public let reason: String

    /// Creates a failure from its parts.
    public init(file: String, line: Int, column: Int, path: String?, reason: String) {
        self.file = file
        self.line = line
        self.column = column
        self.path = path
        self.reason = reason
    }
}

extension CatalogueFailure: CustomStringConvertible {
    /// A sentence with the place, such as `cannot read catalogue 'x.json': line 3, column 9: …`.
    public var description: String {
        let place =
            path.map { "line \(line), column \(column), \($0)" }
            ?? "line \(line), column \(column)"
        return "cannot read catalogue '\(file)': \(place): \(reason)"
    }
}

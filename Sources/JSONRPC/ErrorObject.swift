public import StrictJSON

/// The error member of a reply: a code, a message for users, and data for programs.
public struct ErrorObject: Error, Sendable, Hashable {
    /// The code, which alone identifies the failure.
    public var code: Int

    /// A short message for users; it may change between releases.
    public var message: String

    /// Data that a program can act on, in the order of writing.
    public var data: [JSONMember]

    /// Creates an error.
    public init(code: Int, message: String, data: [JSONMember]) {
        self.code = code
        self.message = message
        self.data = data
    }
}

public import StrictJSON

/// The error member of a reply: a code for programs, a sentence for people, and data that says
/// more to programs.
public struct ErrorObject: Error, Sendable, Hashable {
    /// The number that alone identifies the failure.
    public var code: Int

    /// A short sentence for people; it may change from release to release.
    public var message: String

    /// The data that a program can act on, in the order in which it is written.
    public var data: [JSONMember]

    /// An error of a code, a sentence and data.
    public init(code: Int, message: String, data: [JSONMember]) {
        self.code = code
        self.message = message
        self.data = data
    }
}

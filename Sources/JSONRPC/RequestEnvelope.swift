/// A valid request, by position in the line and on the tape that scanned it.
///
/// It is meaningful only until the next line is scanned.
public struct RequestEnvelope: Sendable, Hashable {
    /// The longest id that is accepted, as written, quotation marks included.
    public static let idLimitBytes = 256

    /// The token of the method's name, always a string.
    public var method: Int

    /// The token of the parameters, an object or an array; nil if there are none.
    public var params: Int?

    /// The bytes of the id in the line as they were sent; nil makes a notification. An id of
    /// `null` is an id.
    public var id: Range<Int>?

    /// A request of its parts.
    public init(method: Int, params: Int?, id: Range<Int>?) {
        self.method = method
        self.params = params
        self.id = id
    }

    /// True if nobody wants an answer, not even an error.
    public var isNotification: Bool { id == nil }
}

/// One element of a batch.
public enum BatchElement: Sendable, Hashable {
    /// A request or notification, to be run in its turn.
    case request(RequestEnvelope)
    /// No valid request; it is answered in its place.
    case fault(RPCFault)
}

/// The request or requests of one line.
public enum ScannedLine: Sendable, Hashable {
    /// A single request or notification.
    case request(RequestEnvelope)
    /// At least one element, in order. The replies go out as one array, notifications left out;
    /// if all are notifications nothing goes out.
    case batch([BatchElement])
    /// No valid request and no batch: one error answers the whole line.
    case fault(RPCFault)
}

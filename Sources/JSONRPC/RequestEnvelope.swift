/// A valid request, by positions in its line and on its tape.
///
/// It is valid only until the next scan.
public struct RequestEnvelope: Sendable, Hashable {
    /// The longest accepted id in bytes, as written, including quotation marks.
    public static let idLimitBytes = 256

    /// The token index of the method, which is a string.
    public var method: Int

    /// The token index of the parameters, an object or an array; nil if there are none.
    public var params: Int?

    /// The range of the id in the line; nil for a notification. An id of `null` counts as an id.
    public var id: Range<Int>?

    /// Creates a request.
    public init(method: Int, params: Int?, id: Range<Int>?) {
        self.method = method
        self.params = params
        self.id = id
    }

    /// True for a notification, which gets no reply, not even an error.
    public var isNotification: Bool { id == nil }
}

/// An element of a batch.
public enum BatchElement: Sendable, Hashable {
    /// A request or notification, to be executed in order.
    case request(RequestEnvelope)
    /// An invalid request; its error is part of the reply.
    case fault(RPCFault)
}

/// The contents of one line.
public enum ScannedLine: Sendable, Hashable {
    /// A single request or notification.
    case request(RequestEnvelope)
    /// A batch of at least one element, in order. The replies form one array without entries for
    /// notifications. A batch of notifications only gets no reply.
    case batch([BatchElement])
    /// An invalid line; a single error is the reply.
    case fault(RPCFault)
}

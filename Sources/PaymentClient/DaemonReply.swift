internal import NIOCore
public import StrictJSON

/// The daemon's reply to one call, unmodified.
public struct DaemonReply: Sendable {
    private let method: String
    private let message: JSONValue
    private let bytes: ByteBuffer

    init(method: String, message: JSONValue, bytes: ByteBuffer) {
        self.method = method
        self.message = message
        self.bytes = bytes
    }

    /// The whole line as received, without its line feed.
    public var line: String { String(buffer: bytes) }

    /// The error of the reply; nil if the call succeeded.
    public var error: RPCError? {
        message["error"].map { RPCError($0, method: method) }
    }

    /// The `result` of the reply; null if there is an ``error``.
    public var result: JSONValue { message["result"] ?? .null }
}

internal import NIOCore
public import StrictJSON

/// The daemon's answer to one call, as it came.
public struct DaemonReply: Sendable {
    private let method: String
    private let message: JSONValue
    private let bytes: ByteBuffer

    init(method: String, message: JSONValue, bytes: ByteBuffer) {
        self.method = method
        self.message = message
        self.bytes = bytes
    }

    /// The whole line as it came over the connection, without its line feed.
    public var line: String { String(buffer: bytes) }

    /// The error with which the daemon refused the call; nil if it succeeded.
    public var error: RPCError? {
        message["error"].map { RPCError($0, method: method) }
    }

    /// The `result` of the answer; null if there is an ``error``.
    public var result: JSONValue { message["result"] ?? .null }
}

import Glibc

/// A connection with one call at a time, which is timed.
final class Caller {
    private let channel: LineChannel

    init(socket: String) throws(BenchFailure) {
        channel = try LineChannel(socket: socket)
    }

    /// Sends a request, given without its line feed, and waits for the reply.
    ///
    /// - Returns: The reply, and the time that it took in nanoseconds.
    func call(_ request: String) throws(BenchFailure) -> (reply: String, nanoseconds: UInt64) {
        let start = monotonicNanoseconds()
        try sendAll(Array((request + "\n").utf8), to: channel.descriptor)
        var reply: String?
        while reply == nil {
            try channel.receive { line in reply = line.text }
        }
        return (reply ?? "", monotonicNanoseconds() - start)
    }

    /// Calls a method; see ``call(_:)``.
    func call(
        _ method: String, _ params: String = "{}"
    ) throws(BenchFailure) -> (reply: String, nanoseconds: UInt64) {
        try call(#"{"jsonrpc":"2.0","id":1,"method":"\#(method)","params":\#(params)}"#)
    }
}

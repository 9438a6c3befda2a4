import Glibc

/// A passive subscription that counts the events that it receives.
final class BacklogReader {
    let descriptor: Int32
    /// The events received so far.
    private(set) var events = 0
    /// Whether all events of the moment of the subscription have been received.
    private(set) var isCaughtUp = false
    private let channel: LineChannel

    /// Subscribes from the oldest record on.
    init(socket: String) throws(BenchFailure) {
        channel = try LineChannel(socket: socket)
        descriptor = channel.descriptor
        let request =
            #"{"jsonrpc":"2.0","id":1,"method":"subscribe","params":{"after":"start","passive":true}}"#
        try sendAll(Array((request + "\n").utf8), to: descriptor)
    }

    /// Reads once.
    ///
    /// - Throws: The subscription was refused, has a gap or ended.
    func receive() throws(BenchFailure) {
        try channel.receive { line throws(BenchFailure) in
            if line.isEvent {
                events += 1
            } else if line.starts(with: #"{"jsonrpc":"2.0","method":"caughtUp""#) {
                isCaughtUp = true
            } else if !line.contains(#""result":{"subscription":"#) {
                throw BenchFailure("the subscription did not continue: \(line.text)")
            }
        }
    }
}

extension UnsafeRawBufferPointer {
    /// Whether a line is an event of a subscription.
    var isEvent: Bool { starts(with: #"{"jsonrpc":"2.0","method":"event""#) }
}

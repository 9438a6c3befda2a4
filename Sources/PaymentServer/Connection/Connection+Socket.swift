import Listening
import NIOCore

/// The beginning of a connection, when it gets its socket.
extension Connection {
    /// The sizes of reads from sockets. One poll reads once from each socket. With larger reads, a user that sends
    /// fast on all its connections would make the loop copy megabytes before any request runs.
    static let readSizes = AdaptiveRecvByteBufferAllocator(
        minimum: 64, initial: 2048, maximum: 8 * 1024)

    /// Begins to move the bytes of a channel.
    func attach(to channel: any Channel) throws {
        let options = channel.syncOptions
        try options?.setOption(.allowRemoteHalfClosure, value: true)
        try options?.setOption(.maxMessagesPerRead, value: 1)
        try options?.setOption(.recvAllocator, value: Self.readSizes)
        socket = channel.descriptor.map { SocketOutput(descriptor: $0) }
        try channel.pipeline.syncOperations.addHandler(self)
    }
}

import Listening
import NIOCore

/// The options that the sockets of all clients share.
enum ClientSocket {
    /// The sizes of reads from sockets. One poll reads once from each socket. With larger reads, a user that sends
    /// fast on all its connections would make the loop copy megabytes before any request runs.
    static let readSizes = AdaptiveRecvByteBufferAllocator(
        minimum: 64, initial: 2048, maximum: 8 * 1024)

    /// Lets a connection move the bytes of a channel. Must be called on the channel's loop.
    ///
    /// - Parameters:
    ///   - channel: The channel of a connected socket. It is not read before this call.
    ///   - connection: The connection.
    /// - Throws: The channel has closed.
    static func give(_ channel: any Channel, to connection: Connection) throws {
        let options = channel.syncOptions
        try options?.setOption(.allowRemoteHalfClosure, value: true)
        try options?.setOption(.maxMessagesPerRead, value: 1)
        try options?.setOption(.recvAllocator, value: readSizes)
        connection.socket = channel.descriptor.map { SocketOutput(descriptor: $0) }
        try channel.pipeline.syncOperations.addHandler(connection)
    }
}

import Glibc
import Logging
import NIOCore
import NIOEmbedded
import Testing

@testable import Listening

@Suite struct AcceptPauseTests {
    /// A log that counts its warnings.
    private final class Warnings: LogHandler, @unchecked Sendable {
        // Proof: the tests use it on one thread.
        var failures: [String] = []
        var metadata: Logger.Metadata = [:]
        var logLevel = Logger.Level.trace

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { nil }
            set {}
        }

        func log(event: LogEvent) {
            failures.append(event.metadata?["failures"].map { "\($0)" } ?? "")
        }
    }

    private let warnings = Warnings()

    private func listener(limit: Int = .max) throws -> EmbeddedChannel {
        let warnings = warnings
        let channel = EmbeddedChannel()
        try channel.pipeline.syncOperations.addHandler(
            AcceptPause(
                limit: limit, farewell: { _ in [] },
                log: Logger(label: "test") { _ in warnings }))
        return channel
    }

    private static func fail(_ channel: EmbeddedChannel, _ number: CInt) {
        channel.pipeline.fireErrorCaught(IOError(errnoCode: number, reason: "accept"))
    }

    private static func isReading(_ channel: EmbeddedChannel) -> Bool {
        channel.options.last { $0.option is ChannelOptions.Types.AutoReadOption }?.value as? Bool
            ?? true
    }

    @Test(arguments: [EMFILE, ENFILE, ENOBUFS, ENOMEM])
    func `a listener without descriptors reads nothing for a tenth of a second`(number: CInt) throws
    {
        let channel = try listener()
        Self.fail(channel, number)
        #expect(!Self.isReading(channel))
        channel.embeddedEventLoop.advanceTime(by: .milliseconds(99))
        #expect(!Self.isReading(channel))
        channel.embeddedEventLoop.advanceTime(by: .milliseconds(1))
        #expect(Self.isReading(channel))
        #expect(throws: Never.self) { try channel.throwIfErrorCaught() }
        _ = try channel.finish()
    }

    @Test func `the log has one warning in five seconds, with the number of failures`() throws {
        let channel = try listener()
        for _ in 0..<100 {
            Self.fail(channel, EMFILE)
            channel.embeddedEventLoop.advanceTime(by: AcceptPause.pause)
        }
        #expect(warnings.failures == ["1", "50"])
        _ = try channel.finish()
    }

    @Test func `other errors are passed on`() throws {
        let channel = try listener()
        Self.fail(channel, EINVAL)
        #expect(Self.isReading(channel))
        #expect(throws: IOError.self) { try channel.throwIfErrorCaught() }
        _ = try channel.finish()
    }

    @Test func `a connection beyond the limit is closed until another one ends`() throws {
        let channel = try listener(limit: 1)
        let visitors = (0..<3).map { _ in EmbeddedChannel(loop: channel.embeddedEventLoop) }
        for visitor in visitors.prefix(2) { try channel.writeInbound(visitor as any Channel) }
        channel.embeddedEventLoop.run()
        #expect(try channel.readInbound(as: (any Channel).self) === visitors[0])
        #expect(try channel.readInbound(as: (any Channel).self) == nil)
        #expect(throws: ChannelError.self) { try visitors[1].finish() }
        _ = try visitors[0].finish()
        channel.embeddedEventLoop.run()
        try channel.writeInbound(visitors[2] as any Channel)
        #expect(try channel.readInbound(as: (any Channel).self) === visitors[2])
        _ = try channel.finish()
    }
}

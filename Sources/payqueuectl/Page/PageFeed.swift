import NIOCore
import NIOHTTP1
import PaymentClient
import StrictJSON

/// The events of the queue as server-sent events, for one browser tab.
///
/// Each event has its sequence number as `id`, so that the browser resumes after the last received
/// event. At most ten events are sent per second. When more happen, the page receives only the size
/// of the gap, and the skipped events are not read.
struct PageFeed {
    private let path: String
    private var epoch: String?
    private var after: Int64?

    /// The maximum number of events per second.
    private static let eventsPerSecond: Int64 = 10
    /// The maximum lag in records before events are skipped.
    private static let patienceRecords: Int64 = 50
    /// The wait for an event in seconds before a comment keeps the connection alive.
    private static let quiet: Int64 = 15

    /// Reads the start position from the browser's `Last-Event-ID`, or from the URL.
    init(_ head: HTTPRequestHead, path: String) {
        self.path = path
        let named = head.headers["last-event-id"].first
        after = (named ?? PageAccess.parameter("after", of: head.uri)).flatMap { Int64($0) }
        epoch = PageAccess.parameter("epoch", of: head.uri)
    }

    /// Sends events until the browser disconnects or the task is cancelled.
    func run(
        _ channel: any Channel, _ outbound: NIOAsyncChannelOutboundWriter<HTTPServerResponsePart>
    ) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                try await withTaskCancellationHandler {
                    try await channel.closeFuture.get()
                } onCancel: {
                    channel.close(promise: nil)
                }
            }
            group.addTask {
                var feed = self
                try await feed.send { text in
                    try await outbound.write(.body(.byteBuffer(ByteBuffer(string: text))))
                } begin: {
                    var head = HTTPResponseHead(version: .http1_1, status: .ok)
                    head.headers = PageAnswer(type: "text/event-stream", []).headers
                    head.headers.remove(name: "content-length")
                    try await outbound.write(.head(head))
                }
            }
            defer { group.cancelAll() }
            try await group.next()
        }
    }

    private mutating func send(
        _ write: (String) async throws -> Void, begin: () async throws -> Void
    ) async throws {
        try await begin()
        try await write("retry: 1000\n\n")
        var isLost = false
        while true {
            do {
                try await follow(write)
            } catch let failure as ConnectionFailure {
                if !isLost {
                    try await write(Self.event("lost", ["reason": .string(failure.description)]))
                }
                isLost = true
                try await Task.sleep(for: .milliseconds(500))
                // The comment detects a disconnected browser, and keeps a connected one alive.
                try await write(":\n\n")
                continue
            } catch let error as RPCError where (1301...1303).contains(error.code) {
                after = nil
                epoch = nil
                try await write(Self.event("restarted", ["reason": .string(error.message)]))
            }
            isLost = false
        }
    }

    /// Follows the log on a separate connection, so that a waiting call does not block others.
    private mutating func follow(_ write: (String) async throws -> Void) async throws {
        let daemon = try await PageDaemon.connect(to: path)
        let hello = try await daemon.call("hello")
        let current = hello["epoch"]?.stringValue ?? ""
        var position = after ?? hello["head"]?.intValue ?? 0
        try await write(
            Self.event("connected", ["epoch": .string(current), "head": hello["head"] ?? .null]))
        while true {
            let answer = try await daemon.call(
                "events",
                [
                    "after": .integer(position), "epoch": .string(epoch ?? current),
                    "limit": .integer(Self.eventsPerSecond), "wait": .integer(Self.quiet),
                ])
            let events = answer["events"]?.arrayValue ?? []
            let lines = events.map { event in
                "id: \(event["seq"]?.intValue ?? position)\ndata: \(event.jsonText())\n\n"
            }
            try await write(lines.isEmpty ? ":\n\n" : lines.joined())
            position = answer["next"]?.intValue ?? position
            let head = answer["head"]?.intValue ?? position
            if head - position > Self.patienceRecords {
                let place = head - Self.eventsPerSecond
                let jump = Self.event("skipped", ["records": .integer(place - position)])
                try await write("id: \(place)\n" + jump)
                position = place
            }
            after = position
            try await Task.sleep(
                for: .milliseconds(Int64(events.count) * 1000 / Self.eventsPerSecond))
        }
    }

    private static func event(_ name: String, _ data: JSONValue) -> String {
        "event: \(name)\ndata: \(data.jsonText())\n\n"
    }
}

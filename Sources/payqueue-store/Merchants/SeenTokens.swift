import PaymentCore
import PaymentHistory
import PaymentStorage
import StrictJSON
import Synchronization

/// Stores used tokens for a restart of the server, clean or not: one line per token, one file per
/// two minutes. Lines are written before the answer, but not synced. A restart of the machine takes
/// longer than the lifetime of a token.
final class SeenTokens: Sendable {
    private static let periodMilliseconds: Int64 = 120_000
    private static let limitBytes = 64 << 20

    private struct State {
        var period: Int64?
        var file: (any DiskFile)?
        var length = 0
    }

    private let disk: any Disk
    private let state = Mutex(State())

    init(in disk: any Disk) {
        self.disk = disk
    }

    /// The tokens in the files.
    func load() throws -> [(token: ReplayMemory.Token, end: Timestamp)] {
        var found: [(token: ReplayMemory.Token, end: Timestamp)] = []
        for name in try disk.list() where Self.period(of: name) != nil {
            let file = try disk.open(name, .read)
            var bytes = [UInt8](repeating: 0, count: min(try file.length(), Self.limitBytes))
            let count = bytes.isEmpty ? 0 : try file.read(into: &bytes, at: 0)
            for line in bytes.prefix(count).split(separator: UInt8(ascii: "\n")) {
                // The request of an incomplete line was never answered.
                guard let value = try? JSONValue(parsing: line),
                    let merchant = value["merchant"]?.stringValue,
                    let id = value["jti"]?.stringValue,
                    let end = value["until"]?.stringValue.flatMap({ Timestamp($0) })
                else { continue }
                found.append((ReplayMemory.Token(merchant: merchant, id: id), end))
            }
        }
        return found
    }

    /// Stores a token.
    func note(_ token: ReplayMemory.Token, until end: Timestamp, now: Timestamp) throws {
        let line: JSONValue = [
            "merchant": .string(token.merchant), "jti": .string(token.id),
            "until": .string(end.description),
        ]
        let bytes = Array((line.jsonText() + "\n").utf8)
        let period = now.milliseconds / Self.periodMilliseconds
        try state.withLock { state in
            if state.period != period { try begin(period, &state) }
            var done = 0
            while done < bytes.count, let file = state.file {
                done += try file.write(
                    bytes.span.extracting(droppingFirst: done), at: state.length + done)
            }
            state.length += bytes.count
        }
    }

    /// Switches to the file of a period, and removes files from before the previous period.
    private func begin(_ period: Int64, _ state: inout State) throws {
        let file = try disk.open("seen-\(period).ndjson", .updateOrCreate)
        state.length = try file.length()
        state.file = file
        state.period = period
        for name in try disk.list() {
            if let old = Self.period(of: name), old < period - 1 { try disk.remove(name) }
        }
    }

    private static func period(of name: String) -> Int64? {
        guard name.hasPrefix("seen-"), name.hasSuffix(".ndjson") else { return nil }
        return Int64(name.dropFirst(5).dropLast(7))
    }
}

import Glibc
import Logging
import PaymentCore
import PaymentEngine
import PaymentStorage
import StrictJSON

/// Provides the time of day for records, and decides whether retention may rely on it. Its last readings
/// of the clocks survive restarts in `clock/retention.json`.
final class RetentionTask {
    private static let name = "retention.json"

    private let files: SmallFiles
    private let log: Logger
    private let days: Int64
    private let read: () -> RetentionClock.Reading
    private var clock: RetentionClock
    /// The uptime in seconds of the last failed attempt to store the readings; nil if all is stored.
    private var failedAt: Int64?

    /// Reads the clock that the previous process stored. A new state directory trusts the current
    /// clocks. An existing directory without a readable file holds retention until the clocks have
    /// proved reliable.
    ///
    /// - Parameters:
    ///   - state: The state directory.
    ///   - isNew: Whether no daemon has run on this state directory before.
    ///   - days: The number of days for which finished transactions are remembered.
    ///   - log: Receives messages about jumps of the clock.
    ///   - read: Reads the clocks.
    /// - Throws: The directory cannot be created.
    init(
        in state: StateDirectory, isNew: Bool, days: Int, log: Logger,
        read: @escaping () -> RetentionClock.Reading = RetentionTask.systemClocks
    ) throws {
        files = try SmallFiles("clock", in: state)
        self.days = Int64(days)
        self.log = log
        self.read = read
        let kept = ((try? files.read(Self.name)) ?? nil).flatMap { RetentionClock($0) }
        clock = kept ?? RetentionClock(last: isNew ? read() : nil)
    }

    /// Returns the time of day for a record. A jump of the clock is stored before any record has a time
    /// after the jump. Otherwise records with a wrong time would be forgotten too early once the clock is
    /// right again. A client that repeats a key of such a record would then pay twice.
    func time() -> Timestamp {
        let reading = read()
        // The reading is compared with the last hourly one, so that small steps and a clock that runs too
        // fast add up.
        if clock.hasJumped(at: reading) {
            var next = clock
            _ = next.look(reading, retentionMs: days * 86_400_000)
            take(next, at: reading)
        } else if let failedAt, failedAt != reading.uptimeMs / 1000 {
            store(at: reading)
        }
        return reading.wall
    }

    /// Returns the time before which finished transactions may be forgotten now; nil if the clocks do not
    /// allow it.
    func forgettableTime() -> Timestamp? {
        let reading = read()
        var next = clock
        let mayForget = next.look(reading, retentionMs: days * 86_400_000)
        take(next, at: reading)
        return mayForget ? reading.wall.advanced(bySeconds: -days * 86_400) : nil
    }

    private func take(_ next: RetentionClock, at reading: RetentionClock.Reading) {
        if next.heldMs > 0, clock.heldMs == 0 {
            let reason =
                clock.last == nil ? "no earlier time is known" : "the system clock has jumped"
            log.warning(
                "retention is paused until the clock has been right for one retention period",
                metadata: ["reason": "\(reason)", "days": "\(days)"])
        }
        clock = next
        store(at: reading)
    }

    private func store(at reading: RetentionClock.Reading) {
        do throws(DiskFailure) {
            try files.replace(Self.name, with: clock.bytes)
            failedAt = nil
        } catch {
            defer { failedAt = reading.uptimeMs / 1000 }
            guard failedAt == nil else { return }
            log.warning(
                """
                cannot store the time of day; a clock jump before the next start may go \
                unnoticed
                """,
                metadata: ["reason": "\(error.reason)"])
        }
    }

    private static let bootID = ProcessIdentity.current(program: "payqueued").bootID

    private static func systemClocks() -> RetentionClock.Reading {
        var time = timespec()
        clock_gettime(CLOCK_BOOTTIME, &time)
        return RetentionClock.Reading(
            wall: .now, boot: bootID,
            uptimeMs: Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000)
    }
}

extension RetentionClock {
    /// Reads the output of `bytes`; nil for other content.
    init?(_ bytes: [UInt8]) {
        guard let value = try? JSONValue(parsing: bytes, limits: .trusted),
            let wall = value["wall"]?.stringValue.flatMap({ Timestamp($0) }),
            let boot = value["boot"]?.stringValue, let uptime = value["uptimeMs"]?.intValue,
            let held = value["heldMs"]?.intValue, held >= 0
        else { return nil }
        self.init(
            last: Reading(wall: wall, boot: boot, uptimeMs: Int64(uptime)), heldMs: Int64(held))
    }

    /// The text of the file.
    var bytes: [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        if let last {
            writer.name("wall")
            writer.string(last.wall.description)
            writer.name("boot")
            writer.string(last.boot)
            writer.name("uptimeMs")
            writer.integer(last.uptimeMs)
        }
        writer.name("heldMs")
        writer.integer(heldMs)
        writer.endObject()
        writer.raw("\n")
        return writer.bytes
    }
}

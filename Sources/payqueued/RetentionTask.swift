import Glibc
import Logging
import NIOCore
import PaymentCore
import PaymentEngine
import PaymentStorage
import StrictJSON

/// Keeps the clock of retention over restarts, in `clock/retention.json`.
final class RetentionTask {
    private static let name = "retention.json"

    private let files: SmallFiles
    private let loop: any EventLoop
    private let log: Logger
    private let read: () -> RetentionClock.Reading
    private var clock: RetentionClock

    /// Reads what the process before has kept. A new state directory begins with the clocks as they
    /// are; if another one has nothing that can be read, its clocks have to prove themselves.
    ///
    /// - Parameters:
    ///   - state: Where it is kept.
    ///   - isNew: Whether no daemon has run on this state directory before.
    ///   - loop: Where files are written; what was written before is not overtaken there.
    ///   - log: Where people read of a jump.
    ///   - read: Reads the clocks.
    /// - Throws: The directory cannot be made.
    init(
        in state: StateDirectory, isNew: Bool, writingOn loop: any EventLoop, log: Logger,
        read: @escaping () -> RetentionClock.Reading = RetentionTask.systemClocks
    ) throws {
        files = try SmallFiles("clock", in: state)
        self.loop = loop
        self.log = log
        self.read = read
        let kept = ((try? files.read(Self.name)) ?? nil).flatMap { RetentionClock($0) }
        clock = kept ?? RetentionClock(last: isNew ? read() : nil)
    }

    /// Whether what is older than so many days by the time of day may be forgotten now.
    func mayForget(days: Int64) -> Bool {
        let isKnown = clock.last != nil
        let wasHeld = clock.heldMs > 0
        let mayForget = clock.look(read(), retentionMs: days * 86_400_000)
        if !mayForget, !wasHeld {
            let reason = isKnown ? "the system clock has jumped" : "no earlier time is known"
            log.warning(
                "retention is paused until the clock has been right for one retention period",
                metadata: ["reason": "\(reason)", "days": "\(days)"])
        }
        loop.execute { [files, log, bytes = clock.bytes] in
            do throws(DiskFailure) {
                try files.replace(Self.name, with: bytes)
            } catch {
                log.warning(
                    """
                    cannot store the time of day; a clock jump before the next start may go \
                    unnoticed
                    """,
                    metadata: ["reason": "\(error.reason)"])
            }
        }
        return mayForget
    }

    private static func systemClocks() -> RetentionClock.Reading {
        var time = timespec()
        clock_gettime(CLOCK_BOOTTIME, &time)
        return RetentionClock.Reading(
            wall: .now, boot: ProcessIdentity.current(program: "payqueued").bootID,
            uptimeMs: Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000)
    }
}

extension RetentionClock {
    /// Reads what `bytes` wrote; nil if that is something else.
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

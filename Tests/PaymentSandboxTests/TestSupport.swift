import Foundation
import PaymentBackend
import PaymentCore
import PaymentTesting
import Synchronization
import Testing

/// Where the files of the tests lie.
enum TestFiles {
    /// The third-party files beside the checkout, nil where they are not there.
    static let storekitFolder: URL? = {
        let environment = ProcessInfo.processInfo.environment["PAYQUEUED_TEST_DATA"]
        let own = URL(filePath: #filePath).resolvingSymlinksInPath()
        let folders =
            environment.map { [URL(filePath: $0)] } ?? []
            + sequence(first: own) { $0.path == "/" ? nil : $0.deletingLastPathComponent() }
            .map { $0.appending(path: "shared/data") }
        return folders.map { $0.appending(path: "storekit") }
            .first { FileManager.default.fileExists(atPath: $0.path) }
    }()

    /// Every `.storekit` file of that folder.
    static let storekitFiles: [URL] = {
        guard let storekitFolder,
            let files = try? FileManager.default.contentsOfDirectory(
                at: storekitFolder, includingPropertiesForKeys: nil)
        else { return [] }
        return files.filter { $0.pathExtension == "storekit" }.sorted { $0.path < $1.path }
    }()

    /// The bytes of a file in `Fixtures`.
    static func fixture(_ name: String) throws -> [UInt8] {
        let folder = URL(filePath: #filePath).deletingLastPathComponent()
        return Array(try Data(contentsOf: folder.appending(path: "Fixtures/\(name)")))
    }
}

/// A clock that stands until the test moves it.
final class StandingClock: Clock {
    struct Instant: InstantProtocol {
        var offset: Duration

        func advanced(by duration: Duration) -> Instant { Instant(offset: offset + duration) }
        func duration(to other: Instant) -> Duration { other.offset - offset }
        static func < (left: Instant, right: Instant) -> Bool { left.offset < right.offset }
    }

    private struct Sleeper {
        let deadline: Instant
        let continuation: CheckedContinuation<Void, any Error>
    }

    private struct Contents {
        var now = Instant(offset: .zero)
        var sleepers: [Int: Sleeper] = [:]
        var nextSleeper = 0
        var waiters: [(count: Int, continuation: CheckedContinuation<Void, Never>)] = []
    }

    private let contents = Mutex(Contents())

    var now: Instant { contents.withLock(\.now) }
    var minimumResolution: Duration { .nanoseconds(1) }

    func sleep(until deadline: Instant, tolerance: Duration?) async throws {
        let number = contents.withLock { contents in
            contents.nextSleeper += 1
            return contents.nextSleeper
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let ready = contents.withLock { contents in
                    contents.sleepers[number] = Sleeper(
                        deadline: deadline, continuation: continuation)
                    let count = contents.sleepers.count
                    let ready = contents.waiters.filter { $0.count <= count }
                    contents.waiters.removeAll { $0.count <= count }
                    return ready.map(\.continuation)
                }
                for waiter in ready { waiter.resume() }
                if Task.isCancelled { cancel(number) }
            }
        } onCancel: {
            cancel(number)
        }
    }

    /// Moves the clock and wakes whoever slept no longer than that.
    func advance(by duration: Duration) {
        let ready = contents.withLock { contents in
            contents.now = contents.now.advanced(by: duration)
            let now = contents.now
            let ready = contents.sleepers.filter { $0.value.deadline <= now }
            for number in ready.keys { contents.sleepers[number] = nil }
            return ready.values.map(\.continuation)
        }
        for continuation in ready { continuation.resume() }
    }

    /// Returns when so many are asleep.
    func waitForSleepers(_ count: Int) async {
        await withCheckedContinuation { continuation in
            let isReached = contents.withLock { contents in
                if contents.sleepers.count >= count { return true }
                contents.waiters.append((count, continuation))
                return false
            }
            if isReached { continuation.resume() }
        }
    }

    private func cancel(_ number: Int) {
        let sleeper = contents.withLock { $0.sleepers.removeValue(forKey: number) }
        sleeper?.continuation.resume(throwing: CancellationError())
    }
}

/// What the tests buy, and who.
enum Sample {
    static let germany = country("DE")
    static let france = country("FR")
    static let states = country("US")
    static let japan = country("JP")

    static func country(_ letters: String) -> CountryCode {
        guard let country = CountryCode(letters) else { preconditionFailure("no country") }
        return country
    }

    static let zero: Amount = {
        guard let zero = Amount("0") else { preconditionFailure("zero is an amount") }
        return zero
    }()

    static func transaction(_ number: UInt64) -> TransactionID {
        TransactionID(UniqueID(randomHigh: 7, randomLow: number))
    }

    static func order(_ number: UInt64) -> OrderID {
        OrderID(UniqueID(randomHigh: 9, randomLow: number))
    }

    static func product(_ name: String, in country: CountryCode = germany) throws -> Product {
        try #require(StoreCatalogue.example.product(ProductIdentifier(name), in: country))
    }

    static func request(
        _ number: UInt64, account: AccountName = "demo", product: String = "coins.100",
        country: CountryCode = germany, token: OpaqueText? = nil
    ) throws -> OrderRequest {
        OrderRequest(
            transaction: transaction(number), account: account,
            product: try Self.product(product, in: country), country: country,
            appAccountToken: token)
    }

    static func change(
        _ edit: (inout StoreTestSettingsChange) -> Void
    ) -> StoreTestSettingsChange {
        var change = StoreTestSettingsChange()
        edit(&change)
        return change
    }

    /// A sandbox that continues where a journal ends.
    static func sandbox(
        store: StoreCatalogue = .example, journal: MemorySandboxJournal = MemorySandboxJournal(),
        executor: any SerialExecutor = QueueExecutor(),
        clock: any Clock<Duration> = StandingClock(),
        seed: UInt64 = 1
    ) throws -> Sandbox {
        var state = SandboxState()
        for event in journal.durableEvents { try state.replay(event) }
        return Sandbox(
            store: store, state: state, journal: journal,
            environment: Sandbox.Environment(
                executor: executor, clock: clock,
                now: { Timestamp(milliseconds: 1_700_000_000_000) },
                randomness: SeededGenerator(seed: seed), keys: SampleKeys()))
    }
}

/// The failure that a call ends with; the test fails if it succeeds.
func failure(
    _ body: () async throws(StoreFailure) -> some Any,
    sourceLocation: SourceLocation = #_sourceLocation
) async -> StoreFailure.Kind? {
    do {
        _ = try await body()
        Issue.record("the call succeeded", sourceLocation: sourceLocation)
        return nil
    } catch {
        return error.kind
    }
}

extension StoreBackend {
    /// Where an account is.
    func country(of account: AccountName) async throws(StoreFailure) -> CountryCode? {
        try await facts(of: account).country
    }
}

extension Sandbox {
    /// The order that a transaction has placed, as everybody may see it.
    func order(of transaction: TransactionID) async -> StoreOrder? {
        try? await durableState().order(of: transaction)?.order
    }
}

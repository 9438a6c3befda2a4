import Glibc

/// Bytes, system calls, allocations and instructions of an add and of a purchase. The counts are steady, so
/// that one round is enough.
final class CostRows: RowGroup {
    private let options: Options
    private var isMeasured = false

    init(_ options: Options) {
        self.options = options
    }

    var title: String { "bytes, system calls, allocations" }

    private static let shapes = [
        Shape(connections: 1, depth: 1), Shape(connections: 50, depth: 16),
    ]
    private static let windows = [1, 64]

    private var server: Server { .payqueued(options.payqueued) }

    func measure(into report: inout Report) throws(BenchFailure) {
        guard !isMeasured else { return }
        isMeasured = true
        try measureLog(into: &report)
        try countSystemCalls(into: &report)
        try countAllocations(into: &report)
        try countInstructions(into: &report)
    }

    private func measureLog(into report: inout Report) throws(BenchFailure) {
        let purchases = 2_000
        let bytes = try server.withFresh(in: options.directory, keepingLog: true) {
            process, directory throws(BenchFailure) in
            let load = try PurchaseLoad(socket: process.socket)
            try load.complete(64, window: 64)
            let before = try logFiles(in: directory + "/state").reduce(0) { $0 + $1.bytes }
            try load.complete(purchases, window: 64)
            return try logFiles(in: directory + "/state").reduce(0) { $0 + $1.bytes } - before
        }
        report.record(
            Row(
                .p9, "log of a purchase", unit: "bytes", goal: .value(.atMost, 1_200)),
            Reading(Double(bytes) / Double(purchases)))
    }

    private func countSystemCalls(into report: inout Report) throws(BenchFailure) {
        for shape in Self.shapes {
            let own = try systemCalls(of: server, under: shape)
            let peer =
                if let redis = options.redis {
                    try systemCalls(of: .redis(redis), under: shape)
                } else {
                    Double?.none
                }
            report.record(
                Row(
                    .p9, "system calls of an add, \(shape)", unit: "calls", peer: "Redis RPUSH",
                    decimals: 2), Reading(own, peer: peer))
        }
        for window in Self.windows {
            let calls = try server.withFresh(in: options.directory) {
                process, directory throws(BenchFailure) in
                let load = try PurchaseLoad(socket: process.socket)
                let count = window == 1 ? 200 : 5_000
                let calls = try SystemCallCount.during(process, in: directory) {
                    () throws(BenchFailure) in try load.complete(count, window: window)
                }
                return Double(calls.total) / Double(count)
            }
            report.record(
                Row(
                    .p9, "system calls of a purchase, \(window) in flight", unit: "calls",
                    decimals: 2), Reading(calls))
        }
    }

    private func systemCalls(of server: Server, under shape: Shape) throws(BenchFailure) -> Double {
        try server.withFresh(in: options.directory) { process, directory throws(BenchFailure) in
            var requests = 0
            let calls = try SystemCallCount.during(process, in: directory) {
                () throws(BenchFailure) in
                requests = try adds(on: process, server.workload, under: shape)
            }
            return Double(calls.total) / Double(requests)
        }
    }

    /// Loads a server for a short time.
    ///
    /// - Returns: The number of acknowledged requests.
    private func adds(
        on process: ServerProcess, _ workload: Workload, under shape: Shape,
        first: UInt64 = RequestTemplate.firstNumber
    ) throws(BenchFailure) -> Int {
        let driver = LoadDriver(
            socket: process.socket, workload: workload, shape: shape, warmUp: 0,
            seconds: min(options.seconds, 0.5), firstNumber: first)
        return try driver.run { () throws(BenchFailure) in 0 }.acknowledged
    }

    private func countAllocations(into report: inout Report) throws(BenchFailure) {
        let library =
            if let counter = options.counter { counter } else { try libraryBesideProgram() }
        try TemporaryDirectory.withNew(in: options.directory) { directory throws(BenchFailure) in
            let count = try AllocationCount(preloading: library, in: directory)
            try countAllocations(count, into: &report)
        }
    }

    private func countAllocations(
        _ count: borrowing AllocationCount, into report: inout Report
    ) throws(BenchFailure) {
        for shape in Self.shapes {
            let allocations = try server.withFresh(
                in: options.directory, environment: count.environment
            ) { process, _ throws(BenchFailure) in
                // The first requests fill buffers that stay.
                _ = try adds(on: process, server.workload, under: shape)
                let before = try count.read()
                let requests = try adds(
                    on: process, server.workload, under: shape,
                    first: RequestTemplate.firstNumber + 100_000_000)
                return Double(try count.read() - before) / Double(requests)
            }
            report.record(
                Row(.p9, "allocations of an add, \(shape)", unit: "calls", decimals: 2),
                Reading(allocations))
        }
        for window in Self.windows {
            let purchases = window == 1 ? 1_000 : 20_000
            let allocations = try server.withFresh(
                in: options.directory, environment: count.environment
            ) { process, _ throws(BenchFailure) in
                let load = try PurchaseLoad(socket: process.socket)
                try load.complete(purchases, window: window)
                let before = try count.read()
                try load.complete(purchases, window: window)
                return Double(try count.read() - before) / Double(purchases)
            }
            report.record(
                Row(
                    .p9, "allocations of a purchase, \(window) in flight", unit: "calls",
                    decimals: 2), Reading(allocations))
        }
    }

    private func countInstructions(into report: inout Report) throws(BenchFailure) {
        var requests = 0
        let count = try server.withFresh(in: options.directory) {
            process, directory throws(BenchFailure) in
            try InstructionCount.during(process, in: directory) { () throws(BenchFailure) in
                requests = try adds(on: process, server.workload, under: Self.shapes[1])
            }
        }
        guard let count else {
            report.note("P9: perf or the counter of the processor is missing; no instructions.")
            return
        }
        report.record(
            Row(.p9, "instructions of an add, 50x16", unit: "1"),
            Reading(Double(count) / Double(requests)))
    }

    private func libraryBesideProgram() throws(BenchFailure) -> String {
        var path = [CChar](repeating: 0, count: 4_096)
        let length = readlink("/proc/self/exe", &path, path.count)
        guard length > 0 else { throw failure("read the path of this program") }
        let program = String(decoding: path[..<length].map { UInt8(bitPattern: $0) }, as: UTF8.self)
        return program.split(separator: "/", omittingEmptySubsequences: false).dropLast()
            .joined(separator: "/") + "/libAllocationCounter.so"
    }
}

import BenchKit
import Foundation
import Glibc

/// Parses, runs what was asked for, prints, and says by its exit code whether it was good enough.
@main
enum Bench {
    static func main() {
        let arguments = Array(CommandLine.arguments.dropFirst())
        if arguments.contains("--help") || arguments.contains("-h") {
            print(Options.usage)
            return
        }
        do {
            exit(try run(try Options(arguments)))
        } catch {
            say("bench: \(error)")
            exit(1)
        }
    }

    private static func run(_ options: Options) throws -> Int32 {
        switch options.mode {
        case .add: return try compare(options)
        case .syscalls: try countSystemCalls(options)
        case .allocations: try countAllocations(options)
        case .full: try runPurchases(options)
        case .history: return try measureHistory(options)
        case .restart: return try measureRestart(options)
        }
        return 0
    }

    private static func compare(_ options: Options) throws -> Int32 {
        let servers = [options.payqueued.map(Server.payqueued), options.redis.map(Server.redis)]
        let comparison = Comparison(
            servers: servers.compactMap(\.self), shapes: options.shapes, rounds: options.rounds,
            seconds: options.seconds, directory: options.directory)
        let result = try comparison.run(progress: say)
        switch options.output {
        case .table: print(result.tableText())
        case .json: print(try result.jsonText())
        }
        guard let required = options.required else { return 0 }
        let shortfalls = result.shortfalls(below: required)
        for shortfall in shortfalls { say("bench: \(shortfall)") }
        return shortfalls.isEmpty ? 0 : 1
    }

    private static func countSystemCalls(_ options: Options) throws {
        let servers = [options.payqueued.map(Server.payqueued), options.redis.map(Server.redis)]
        var rows: [[String]] = []
        for shape in options.shapes {
            for server in servers.compactMap(\.self) {
                say("\(shape), \(server.name)")
                let count = try SystemCallCount.measure(
                    server, under: shape, seconds: options.seconds, in: options.directory)
                let most = count.calls.sorted { $0.value > $1.value }.prefix(5)
                    .map { "\($0.key) \(ratio($0.value, count.requests))" }
                rows.append([
                    "\(shape)", server.name, String(format: "%.2f", count.perRequest),
                    most.joined(separator: ", "),
                ])
            }
        }
        print(table(["shape", "server", "calls/request", "most of them"], rows))
    }

    private static func countAllocations(_ options: Options) throws {
        guard let path = options.payqueued else { return }
        let library = try options.counter ?? libraryBesideProgram()
        var rows: [[String]] = []
        for shape in options.shapes {
            say("\(shape)")
            let count = try AllocationCount.measure(
                .payqueued(path), preloading: library, under: shape, seconds: options.seconds,
                in: options.directory)
            rows.append([
                "\(shape)", "payqueued", String(format: "%.2f", count.perRequest),
                String(format: "%.0f", count.bytesPerRequest),
            ])
        }
        print(table(["shape", "server", "allocations/request", "bytes/request"], rows))
    }

    private static func runPurchases(_ options: Options) throws {
        guard let path = options.payqueued else { return }
        var rows: [[String]] = []
        for window in [1, 16, 64] {
            say("\(window) purchases at a time")
            let result = try FullCycle.measure(
                .payqueued(path), window: window, seconds: options.seconds, in: options.directory)
            let figures = [result.rate, result.p50, result.p99, result.serverCPU ?? 0]
            rows.append(
                ["\(window)", "payqueued"] + figures.map { String(format: "%.0f", $0) })
        }
        print(
            table(
                ["at a time", "server", "purchases/s", "p50 us", "p99 us", "CPU us/purchase"], rows)
        )
    }

    private static func measureHistory(_ options: Options) throws -> Int32 {
        guard let path = options.payqueued else { return 1 }
        let cost = HistoryCost(
            payqueued: path, pairs: options.records, closed: options.closed,
            seconds: options.seconds, directory: options.directory)
        return show(try cost.run(progress: say))
    }

    private static func measureRestart(_ options: Options) throws -> Int32 {
        guard let path = options.payqueued else { return 1 }
        let cost = RestartCost(
            payqueued: path, redis: options.redis, records: options.records,
            rounds: options.rounds, directory: options.directory)
        return show(try cost.run(progress: say))
    }

    /// Prints figures; 1 if one of them exceeds its limit.
    private static func show(_ figures: [Figure]) -> Int32 {
        print(Figure.tableText(figures))
        return figures.allSatisfy(\.isGood) ? 0 : 1
    }

    private static func ratio(_ count: Int, _ requests: Int) -> String {
        String(format: "%.2f", Double(count) / Double(max(1, requests)))
    }

    private static func libraryBesideProgram() throws -> String {
        let program = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        return URL(fileURLWithPath: program).deletingLastPathComponent()
            .appendingPathComponent("libAllocationCounter.so").path
    }

    /// Progress and complaints go to standard error: standard output is the result alone.
    private static func say(_ text: String) {
        let line = Array((text + "\n").utf8)
        _ = write(STDERR_FILENO, line, line.count)
    }
}

import BenchKit
import Foundation
import Glibc

/// Parses the command line, runs the benchmark and prints the results. The exit code is 1 after a failure.
@main
enum Bench {
    static func main() {
        let arguments = Array(CommandLine.arguments.dropFirst())
        if arguments.contains("--help") || arguments.contains("-h") {
            print(Options.usage)
            return
        }
        Remains.clearOnSignals()
        do {
            exit(try run(try Options(arguments)))
        } catch {
            say("bench: \(error)")
            exit(1)
        }
    }

    private static func run(_ options: Options) throws -> Int32 {
        switch options.mode {
        case .all, .restart: return try measureRows(options)
        case .history: return try measureHistory(options)
        }
    }

    private static func measureRows(_ options: Options) throws -> Int32 {
        var report = Report()
        do {
            try Benchmark(options).run(into: &report, progress: say)
        } catch {
            // The figures before the failure help to find its cause.
            say(report.tableText())
            throw error
        }
        switch options.output {
        case .table: print(report.tableText())
        case .json: print(try report.jsonText())
        }
        if let path = options.json {
            try (report.jsonText() + "\n").write(toFile: path, atomically: true, encoding: .utf8)
        }
        if let directory = options.plots {
            try FileManager.default.createDirectory(
                atPath: directory, withIntermediateDirectories: true)
            for (name, picture) in report.pictures() {
                try picture.svg.write(
                    toFile: directory + "/" + name, atomically: true, encoding: .utf8)
            }
        }
        return options.isStrict && !report.missed.isEmpty ? 1 : 0
    }

    private static func measureHistory(_ options: Options) throws -> Int32 {
        let cost = HistoryCost(
            payqueued: options.payqueued, pairs: options.records,
            closed: options.closed ?? 10_000_000, seconds: options.seconds,
            directory: options.directory)
        let figures = try cost.run(progress: say)
        print(Figure.tableText(figures))
        return figures.allSatisfy(\.isGood) ? 0 : 1
    }

    /// Writes progress and failures to standard error: standard output has the results alone.
    private static func say(_ text: String) {
        let line = Array((text + "\n").utf8)
        _ = write(STDERR_FILENO, line, line.count)
    }
}

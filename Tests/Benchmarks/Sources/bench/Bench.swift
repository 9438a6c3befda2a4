import BenchKit
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
        case .syscalls, .allocations, .full: return 0
        }
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

    /// Progress and complaints go to standard error: standard output is the result alone.
    private static func say(_ text: String) {
        let line = Array((text + "\n").utf8)
        _ = write(STDERR_FILENO, line, line.count)
    }
}

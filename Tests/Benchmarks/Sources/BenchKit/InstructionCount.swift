import Glibc

/// The instructions that a server executes in user space, counted by `perf`.
enum InstructionCount {
    /// Counts while a load runs.
    ///
    /// - Returns: Nil where `perf` or the counter of the processor is missing, as in most virtual machines.
    static func during(
        _ process: ServerProcess, in directory: String, _ load: () throws(BenchFailure) -> Void
    ) throws(BenchFailure) -> Int? {
        let summary = directory + "/perf"
        guard
            let counter = try? Helper(
                [
                    "perf", "stat", "-x", ",", "-e", "instructions:u", "-p", "\(process.pid)",
                    "-o", summary,
                ], log: summary + ".log")
        else { return nil }
        usleep(300_000)
        try load()
        counter.interrupt()
        guard access(summary, R_OK) == 0 else { return nil }
        return parse(try contents(ofFile: summary))
    }

    /// The first field of the line of the counter; nil if it is not a number, such as `<not supported>`.
    static func parse(_ summary: String) -> Int? {
        let line = summary.split(separator: "\n").first { $0.contains("instructions") }
        return line?.split(separator: ",").first.flatMap { Int($0) }
    }
}

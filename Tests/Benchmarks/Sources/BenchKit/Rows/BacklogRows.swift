import Glibc

/// A subscriber that is many records behind: alone, and while others add.
final class BacklogRows: RowGroup {
    private let options: Options

    init(_ options: Options) {
        self.options = options
    }

    var title: String { "a subscriber \(options.records) records behind" }

    func measure(into report: inout Report) throws(BenchFailure) {
        try Server.payqueued(options.payqueued).withFresh(
            in: options.directory, keepingLog: true
        ) { process, _ throws(BenchFailure) in
            let stored = try process.fill(
                with: .add(of: "coins.100", series: "backlog"), requests: options.records)
            let alone = try catchUp(on: process, events: stored)
            let name = "\(options.records) behind"
            report.record(
                Row(.p8, "events, \(name), alone", unit: "1/s", goal: .value(.atLeast, 300_000)),
                alone)
            let undisturbed = try adds(on: process, round: 1, reader: nil)
            let reader = try BacklogReader(socket: process.socket)
            let disturbed = try adds(on: process, round: 2, reader: reader)
            let seconds = disturbed.load.seconds
            report.record(
                Row(
                    .p8, "events, \(name), next to add 50x16", unit: "1/s",
                    goal: .value(.atLeast, 40_000)), Reading(Double(disturbed.events) / seconds))
            report.record(
                Row(
                    .p8, "add, 50x16, next to this subscriber", unit: "1/s",
                    peer: "add without it", goal: .ratio(.atLeast, 0.7)),
                Reading(disturbed.load.measurement, peer: undisturbed.load.measurement))
        }
    }

    /// Reads everything with nothing else to do.
    private func catchUp(on process: ServerProcess, events: Int) throws(BenchFailure) -> Reading {
        try process.awaitQuiet()
        let before = try CostSample(of: process)
        let start = monotonicNanoseconds()
        let reader = try BacklogReader(socket: process.socket)
        while !reader.isCaughtUp { try reader.receive() }
        let elapsed = seconds(since: start)
        let after = try CostSample(of: process)
        guard reader.events >= events else {
            throw BenchFailure("the subscriber received \(reader.events) of \(events) events")
        }
        var reading = Reading(Double(reader.events) / elapsed)
        reading.ownCPU = (after.server - before.server) * 1e6 / Double(reader.events)
        reading.driverShare = (after.driver - before.driver) / elapsed
        return reading
    }

    /// Adds, and the events that a reader received in the measured time.
    private func adds(
        on process: ServerProcess, round: UInt64, reader: BacklogReader?
    ) throws(BenchFailure) -> (load: LoadResult<CostSample>, events: Int) {
        let driver = LoadDriver(
            socket: process.socket, workload: .add, shape: Shape(connections: 50, depth: 16),
            warmUp: options.seconds / 4, seconds: options.seconds,
            firstNumber: RequestTemplate.firstNumber + round * 100_000_000)
        var marks: [Int] = []
        let sample = { () throws(BenchFailure) -> CostSample in
            marks.append(reader?.events ?? 0)
            return try CostSample(of: process)
        }
        let load =
            if let reader {
                try driver.run(with: reader, sampling: sample)
            } else {
                try driver.run(sampling: sample)
            }
        if let reader, reader.isCaughtUp {
            throw BenchFailure("the subscriber was not far enough behind: use more --records")
        }
        return (load, marks[1] - marks[0])
    }
}

import Foundation

/// Programs of the machine that some tests need.
enum Tool {
    static func url(_ name: String) -> URL? {
        ["/usr/bin", "/bin", "/usr/sbin", "/sbin"].map { URL(filePath: "\($0)/\(name)") }
            .first { FileManager.default.isExecutableFile(atPath: $0.path) }
    }

    static func exists(_ name: String) -> Bool { url(name) != nil }

    /// Runs a program to its end; its status and everything that it wrote.
    static func run(
        _ name: String, _ arguments: [String], environment: [String: String] = [:]
    ) throws -> (status: Int32, output: String) {
        let process = Process()
        process.executableURL = url(name)
        process.arguments = arguments
        process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        let pipe = Pipe()
        process.standardOutput = pipe
        process.standardError = pipe
        try process.run()
        let output = try pipe.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        return (process.terminationStatus, String(decoding: output, as: UTF8.self))
    }
}

/// Waits for what another process is about to do.
enum Patience {
    /// Asks again and again for at most a minute.
    static func value<Value>(_ attempt: () -> Value?) -> Value? {
        let end = ContinuousClock.now + .seconds(60)
        while ContinuousClock.now < end {
            if let value = attempt() { return value }
            usleep(5000)
        }
        return nil
    }
}

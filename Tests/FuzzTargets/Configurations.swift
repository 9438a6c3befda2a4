import ArgumentParser
import StrictJSON

@testable import payqueued

/// The file of the daemon's configuration: every key, and what is shown of it.
enum Configurations {
    static func check(_ input: [UInt8]) throws(Violation) {
        let given = settings(input)
        guard let respelled = Texts.canonical(input) else {
            guard case .failure = given else { throw Violation("settings that are not JSON") }
            return
        }
        switch (given, settings(respelled)) {
        case (.success(let given), .success(let other)):
            try require(given == other, "other settings when it is respelled: \(given), \(other)")
        case (.failure(let given), .failure(let other)):
            try require(
                given.description == other.description && given.place == other.place,
                "another problem when it is respelled: \(given), \(other)")
        case (let given, let other): throw Violation("\(given), and respelled: \(other)")
        }
    }

    private static let options = Result { try DaemonOptions.parse([]) }

    /// The lines that `--print-config` shows.
    private static func settings(_ input: [UInt8]) -> Result<[String], ConfigurationProblem> {
        guard case .success(let options) = options else {
            preconditionFailure("no flags are the flags of a daemon")
        }
        do throws(ConfigurationProblem) {
            let file = try ConfigurationFile(input, path: "x")
            let sources = SettingSources(options: options, environment: [:], file: file)
            let configuration = try DaemonConfiguration(
                sources, file: Setting(value: "x", source: .byDefault), reachesStores: true)
            return .success(configuration.report)
        } catch {
            return .failure(error)
        }
    }
}

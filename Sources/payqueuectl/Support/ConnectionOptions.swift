import ArgumentParser
import PaymentClient

/// The connection options of all commands that call a daemon.
struct ConnectionOptions: ParsableArguments {
    @Option(
        name: [.short, .long],
        help: ArgumentHelp("The daemon's socket.", valueName: "path"),
        completion: .file())
    var socket: String?

    /// The socket path from, in this order: the option, the environment, the user's own daemon, the
    /// system's.
    var path: String { SocketPath.find(socket) }

    /// The connection options for suggested commands.
    var suggestion: String {
        socket.map { " --socket \(Shell.quoted($0))" } ?? ""
    }
}

/// A duration in seconds on the command line, with an optional fraction.
struct Seconds: ExpressibleByArgument, CustomStringConvertible {
    let duration: Duration

    /// The maximum duration in seconds: almost twelve days.
    private static let longest = 1_000_000.0
    /// The expected form of a value, for the end of a sentence.
    static let form = "expected 0 to 1000000 seconds, with or without a fraction"

    init(_ seconds: Double) {
        duration = .seconds(seconds)
    }

    init(_ duration: Duration) {
        self.duration = duration
    }

    init?(argument: String) {
        guard let seconds = Double(argument), (0...Self.longest).contains(seconds) else {
            return nil
        }
        self.init(seconds)
    }

    /// The seconds as a number.
    var value: Double { duration / .seconds(1) }

    var defaultValueDescription: String { description }

    var description: String {
        value.rounded() == value ? "\(Int(value))" : "\(value)"
    }
}

/// Shell syntax.
enum Shell {
    /// The text quoted as one word of a shell.
    static func quoted(_ text: String) -> String {
        let plain = text.allSatisfy { letter in
            letter.isASCII
                && (letter.isLetter || letter.isNumber || "-_./:,@%+=".contains(letter))
        }
        if plain, !text.isEmpty { return text }
        return "'"
            + text.split(separator: "'", omittingEmptySubsequences: false)
            .joined(separator: #"'\''"#) + "'"
    }
}

import ArgumentParser
import PaymentClient

/// Where the daemon is, for every command that talks to one.
struct ConnectionOptions: ParsableArguments {
    @Option(
        name: [.short, .long],
        help: ArgumentHelp("The daemon's socket.", valueName: "path"),
        completion: .file())
    var socket: String?

    /// The socket to use: the option, the environment, the user's own daemon, the system's.
    var path: String { SocketPath.find(socket) }

    /// The words that make a suggested command talk to the same daemon.
    var suggestion: String {
        socket.map { " --socket \(Shell.quoted($0))" } ?? ""
    }
}

/// A time in seconds on the command line, with or without a fraction.
struct Seconds: ExpressibleByArgument {
    let duration: Duration

    /// The longest time there is, in seconds: almost twelve days.
    private static let longest = 1_000_000.0
    /// The form of a value, as the end of a sentence.
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

    var defaultValueDescription: String {
        value.rounded() == value ? "\(Int(value))" : "\(value)"
    }
}

/// Texts for a shell.
enum Shell {
    /// The text as one word of a shell.
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

import Foundation
import PaymentTesting
import Testing

/// The golden conversations that every client and the daemon must honour, over real socat.
@Suite("Golden conversations", .ownThreads)
struct TranscriptTests {
    @Test("The daemon answers as the transcript says", arguments: try Transcript.all())
    func play(_ file: URL) throws {
        guard Built.has("socat") else { return Skip.because("socat is not installed") }
        let transcript = try Transcript(file)
        let isRecording = ProcessInfo.processInfo.environment["RECORD"] == "1"
        try Daemon.run { daemon in
            let socat = try Socat(daemon)
            if isRecording {
                try Self.record(transcript, over: socat.line)
            } else {
                try Self.play(transcript, over: socat.line)
            }
        }
    }

    @Test("There are transcripts for every part of the main job")
    func complete() throws {
        #expect(try Transcript.all().count >= 8)
    }

    private static func play(_ transcript: Transcript, over line: Line) throws {
        var bindings = Bindings()
        for (number, (step, source)) in transcript.steps.enumerated() {
            switch step {
            case .comment: break
            case .sent(let typed): line.type(bindings.filled(typed))
            case .unrecorded: Issue.record("line \(number + 1) is not recorded yet")
            case .received(let expected):
                let actual = try line.next()
                let isSame = bindings.match(expected, actual)
                guard isSame else {
                    Issue.record("line \(number + 1) expects \(source) but \(actual) came")
                    return
                }
            }
        }
        try expectSilence(line)
    }

    /// A conversation that goes on after its transcript is another one.
    private static func expectSilence(_ line: Line) throws {
        line.type(#"{"jsonrpc":"2.0","id":"the end","method":"ping"}"#)
        #expect(try line.next()["id"]?.string == "the end")
    }

    private static func record(_ transcript: Transcript, over line: Line) throws {
        var bindings = Bindings()
        var lines: [String] = []
        let typed = transcript.typed
        for (step, source) in transcript.steps {
            switch step {
            case .comment: lines.append(source)
            case .sent(let typed):
                lines.append(source)
                line.type(bindings.filled(typed))
            case .received: lines.append(try next(line, &bindings, typed))
            case .unrecorded(let count):
                for _ in 0..<count { lines.append(try next(line, &bindings, typed)) }
            }
        }
        let text = lines.joined(separator: "\n") + "\n"
        try Data(text.utf8).write(to: transcript.file)
    }

    private static func next(_ line: Line, _ bindings: inout Bindings, _ typed: String) throws
        -> String
    {
        let text = String(decoding: try line.bytes(), as: UTF8.self)
        return #"{"<":"# + bindings.generalised(text, typed: typed) + "}"
    }
}

/// A socat process between a test and the daemon.
final class Socat {
    let line: Line
    private let child: Child

    init(_ daemon: Daemon) throws {
        var ends: [Int32] = [0, 0]
        guard
            socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0, &ends) == 0
        else { throw Trouble("cannot make a pair of sockets") }
        child = try Child(
            ["socat", "-", "UNIX-CONNECT:\(daemon.socket)"], in: daemon.place, name: "socat",
            socket: ends[1])
        close(ends[1])
        line = Line(descriptor: ends[0])
    }

    deinit {
        child.send(SIGTERM)
    }
}

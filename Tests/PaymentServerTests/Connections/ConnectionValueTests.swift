import JSONRPC
import NIOCore
import StrictJSON
import Testing

@testable import PaymentServer

/// The values that a connection is made of, without a socket, a loop or a clock.
@Suite struct ConnectionValueTests {
    // MARK: Lines

    @Test(arguments: [
        ("a\nb\n", ["a", "b", "…"]), ("a\r\n\n b", ["a", "-", "…"]), ("", ["…"]),
        ("12345678\n123456789\nc\n", ["12345678", "!", "c", "…"]),
        ("123456789012", ["-", "…"]),
    ])
    func `lines come in order, and blank ones or too long ones by name`(
        input: String, steps: [String]
    ) {
        var reader = LineReader(limitBytes: 8)
        var bytes = ByteBuffer(string: input)
        reader.received(&bytes)
        var seen: [String] = []
        while seen.last != "…" { seen.append(reader.next().word) }
        #expect(seen == steps)
        #expect(reader.isExhausted)
    }

    @Test func `a line is unfinished only when nothing else is left to serve`() {
        var reader = LineReader(limitBytes: 8)
        #expect(reader.isExhausted && reader.unfinishedLine == nil)
        var bytes = ByteBuffer(string: "a\nb")
        reader.received(&bytes)
        #expect(!reader.isExhausted && reader.unfinishedLine == nil)
        #expect(reader.next().word == "a")
        #expect(reader.unfinishedLine == nil)
        #expect(reader.next().word == "…")
        #expect(reader.unfinishedLine == 1)
        reader.isPaused = true
        #expect(reader.unfinishedLine == nil)
        reader.isPaused = false
        bytes = ByteBuffer(string: "\nc")
        reader.received(&bytes)
        #expect(reader.next().word == "b")
        #expect(reader.next().word == "…")
        #expect(reader.unfinishedLine == 2)
        reader.inputEnded()
        #expect(reader.next().word == "c")
        #expect(reader.next().word == "…")
        #expect(reader.unfinishedLine == nil)
    }

    // MARK: Deadlines

    @Test func `every line has its own time, and a late look decides for itself`() {
        var deadlines = PeerDeadlines()
        #expect(deadlines.looked(unfinished: nil) == .none)
        #expect(deadlines.looked(unfinished: 0) == .start)
        #expect(deadlines.looked(unfinished: 0) == .none)
        #expect(deadlines.looked(unfinished: 3) == .start)
        #expect(deadlines.looked(unfinished: nil) == .cancel)
        #expect(deadlines.looked(unfinished: 4) == .start)
        #expect(deadlines.lineTimedOut(isExhausted: true) == .answerTimeout)
        #expect(deadlines.lineTimedOut(isExhausted: false) == .none)
        #expect(deadlines.looked(unfinished: 4) == .answerTimeout)
        #expect(deadlines.looked(unfinished: 5) == .start)
        #expect(deadlines.looked(unfinished: 5) == .none)
    }

    @Test func `a peer is given up after four looks in a row without a byte taken`() {
        var deadlines = PeerDeadlines()
        #expect(deadlines.handed(100, waiting: 0) == true)
        #expect(deadlines.handed(50, waiting: 100) == false)
        for _ in 1...3 { #expect(deadlines.lookAtOutput(waiting: 150) == .lookAgain) }
        #expect(deadlines.lookAtOutput(waiting: 149) == .lookAgain)
        for _ in 1...3 { #expect(deadlines.lookAtOutput(waiting: 149) == .lookAgain) }
        #expect(deadlines.lookAtOutput(waiting: 149) == .close)
        var quick = PeerDeadlines()
        #expect(quick.handed(100, waiting: 0) == true)
        #expect(quick.lookAtOutput(waiting: 0) == .stop)
        #expect(quick.handed(1, waiting: 0) == true, "the watch starts again")
    }

    // MARK: Output

    @Test func `a commit lets out what was held before the turn was handed over`() {
        var output = OutputBuffer()
        #expect(output.isEmpty && !output.awaitsCommit)
        output.held.raw("a")
        #expect(output.joinTurn() == true)
        #expect(output.joinTurn() == false)
        output.seal()
        #expect(output.awaitsCommit)
        output.held.raw("b")
        #expect(output.joinTurn() == true, "another turn")
        #expect(output.commit() == .sealed)
        #expect(output.outgoing.bytes == Array("a".utf8))
        #expect(output.awaitsCommit)
        #expect(output.commit() == .all)
        #expect(output.outgoing.bytes == Array("ab".utf8))
        #expect(!output.awaitsCommit && output.held.bytes.isEmpty)
    }

    @Test func `bytes count until the kernel has taken them`() {
        var output = OutputBuffer()
        output.outgoing.raw("0123456789")
        #expect(output.isFull(limitBytes: 10) && !output.isFull(limitBytes: 11))
        #expect(output.sent(4, limitBytes: 10) == 6)
        #expect(output.outgoing.bytes.isEmpty)
        output.outgoing.raw("ab")
        #expect(output.sent(0, limitBytes: 10) == 2)
        #expect(output.isFull(limitBytes: 8) && !output.isWritten && !output.isEmpty)
        #expect(!output.hasRoomAgain(limitBytes: 31) && output.hasRoomAgain(limitBytes: 32))
        #expect(output.isFullOfEvents(limitBytes: 16) && !output.isFullOfEvents(limitBytes: 18))
        #expect(output.behindChannel == 8)
        let allocator = ByteBufferAllocator()
        #expect(output.nextPiece(allocator).map { String(buffer: $0) } == "456789ab")
        #expect(output.nextPiece(allocator) == nil, "the channel still has bytes")
        output.outgoing.raw("c")
        #expect(output.sent(0, limitBytes: 10) == 1)
        #expect(output.unsent(3) == Array("9abc".utf8))
        output.wrote()
        #expect(output.nextPiece(allocator).map { String(buffer: $0) } == "c")
        output.wrote()
        #expect(output.isEmpty && output.queuedBytes == 0)
        output.outgoing.raw("d")
        #expect(output.sent(1, limitBytes: 10) == 0)
        #expect(output.isEmpty)
    }

    @Test func `a large reply goes to the channel in pieces, and counts until its last byte`() {
        var output = OutputBuffer()
        let reply = (0..<300_000).map { UInt8(truncatingIfNeeded: $0 / 1000) }
        output.outgoing.raw(reply)
        #expect(output.sent(100, limitBytes: 1 << 20) == 299_900)
        output.outgoing.raw("end")
        #expect(output.sent(0, limitBytes: 1 << 20) == 3)
        var written: [UInt8] = []
        while let piece = output.nextPiece(ByteBufferAllocator()) {
            #expect(piece.readableBytes <= 16 * 1024)
            #expect(output.queuedBytes >= reply.count || written.count == reply.count - 100)
            #expect(output.unsent(0).count + written.count + piece.readableBytes == 299_903)
            written += piece.readableBytesView
            output.wrote()
        }
        #expect(written == reply[100...] + Array("end".utf8))
        #expect(output.isEmpty && output.queuedBytes == 0)
    }

    @Test func `equal ends of large replies share memory, and leave whole`() {
        func queued(_ id: String, _ tail: [UInt8], sent: Int) -> OutputBuffer {
            var output = OutputBuffer()
            output.outgoing.raw(Array(id.utf8) + tail)
            #expect(output.sent(sent, limitBytes: 1 << 20) == id.utf8.count + tail.count - sent)
            return output
        }
        let tail = (0..<100_000).map { UInt8(truncatingIfNeeded: $0 / 1000) }
        var (first, second) = (queued("7", tail, sent: 1), queued("1234", tail, sent: 10))
        let own = first.shareLast(with: nil)
        #expect(own != nil && second.shareLast(with: own) === own)
        #expect(second.unsent(0) == Array(tail[6...]) && second.queuedBytes == 100_001)
        var other = queued("7", tail.reversed(), sent: 1)
        let others = other.shareLast(with: own)
        #expect(others != nil && others !== own)
        var small = queued("7", [1, 2], sent: 0)
        #expect(small.shareLast(with: own) == nil)
        for output in [first, second, other] {
            var (output, count) = (output, 0)
            while let piece = output.nextPiece(ByteBufferAllocator()) {
                count += piece.readableBytes
                output.wrote()
            }
            #expect(count > 99_990 && output.isEmpty && output.queuedBytes == 0)
        }
    }

    // MARK: Requests

    @Test func `a call that gives up its place is answered when it ends`() {
        var (pipeline, held) = (RequestPipeline(), JSONWriter())
        let calls = ["1", "2", nil].map { WaitingCall.example($0) }
        for call in calls { pipeline.wait(call) }
        #expect(!pipeline.isHeldUp && pipeline.calls.count == 3)
        #expect(pipeline.answer(calls[1], &held) == .joinTurn)
        #expect(held.text == "[2]\n")
        #expect(pipeline.answer(calls[2], &held) == .closeIfDone)
        pipeline.beginLine(at: held.bytes.count)
        held.raw("[own]")
        #expect(pipeline.answer(calls[0], &held) == .joinTurn)
        pipeline.endReply(&held)
        pipeline.endLine(&held)
        #expect(held.text == "[2]\n[1]\n[own]\n", "before the reply of the line that ended it")
        #expect(pipeline.calls.isEmpty && pipeline.heldRequests == 1)
    }

    @Test(arguments: [false, true])
    func `a call holds up the line until its reply is committed`(commitsLate: Bool) {
        var (pipeline, held) = (RequestPipeline(), JSONWriter())
        let call = WaitingCall.example("1")
        pipeline.hold(call, nil)
        #expect(pipeline.isHeldUp && pipeline.heldBatch == nil)
        #expect(pipeline.answer(call, &held) == .joinTurn)
        #expect(pipeline.isHeldUp && held.text == "[1]\n")
        if commitsLate {
            pipeline.seal()
            #expect(pipeline.committed(.sealed) == true)
        } else {
            #expect(pipeline.committed(.all) == true)
        }
        #expect(!pipeline.isHeldUp)
        #expect(pipeline.committed(.all) == false)
    }

    @Test func `the commit of an earlier turn does not free the line`() {
        var (pipeline, held) = (RequestPipeline(), JSONWriter())
        let call = WaitingCall.example("1")
        pipeline.hold(call, nil)
        pipeline.seal()
        #expect(pipeline.answer(call, &held) == .joinTurn)
        #expect(pipeline.committed(.sealed) == false)
        #expect(pipeline.isHeldUp)
        #expect(pipeline.committed(.all) == true)
    }

    @Test func `a batch continues behind the element that held it up`() throws {
        var (pipeline, held) = (RequestPipeline(), JSONWriter())
        let call = WaitingCall.example("2")
        let line = Array("[batch]".utf8)
        held.raw("x\n[1,junk")
        let batch = RequestPipeline.setAside(line.span, from: 2, of: 3, reply: 2..<4, &held)
        #expect(held.text == "x\n" && batch.elementsBehind == 1)
        pipeline.hold(call, batch)
        #expect(pipeline.heldBytes == 9)
        let early = pipeline.takeBatch(&held)
        #expect(early == nil, "not before it is answered")
        #expect(pipeline.answer(call, &held) == .offer)
        let continued = pipeline.takeBatch(&held)
        let rest = try #require(continued)
        #expect(rest.next == 2 && rest.line == line)
        #expect(held.text == "x\n[1,[2]")
        #expect(pipeline.isHeldUp && pipeline.heldBatch == nil)
    }

    @Test func `the partial reply of a batch stays in its memory from slice to slice`() throws {
        var (pipeline, held) = (RequestPipeline(), JSONWriter())
        held.raw("[1,junk")
        let place = held.bytes.withUnsafeBytes { $0.baseAddress }
        let line = Array("[batch]".utf8)
        pipeline.yield(
            RequestPipeline.setAside(line.span, from: 1, of: 2, reply: 0..<2, &held))
        #expect(held.bytes.isEmpty && pipeline.heldBytes == 9)
        let continued = pipeline.takeBatch(&held)
        #expect(try #require(continued).next == 1)
        #expect(held.text == "[1" && held.bytes.withUnsafeBytes { $0.baseAddress } == place)
    }

    @Test func `a reply that is too large becomes the error, also late`() {
        var (pipeline, held) = (RequestPipeline(), JSONWriter())
        let call = WaitingCall.example("1")
        pipeline.wait(call)
        _ = pipeline.answer(call, into: &held, limitBytes: 2) { $0.raw("123") }
        #expect(held.text.contains("-32003") && held.text.hasSuffix("\n"))
    }
}

extension LineReader.Step {
    /// The line, `!` for one that is too long, `-` for one that is skipped, `…` for none.
    fileprivate var word: String {
        switch self {
        case .line(let line): String(buffer: line)
        case .tooLong: "!"
        case .skipped: "-"
        case .more: "…"
        }
    }
}

extension WaitingCall {
    /// A call without a connection; nil for a notification.
    fileprivate static func example(_ id: String?) -> WaitingCall {
        WaitingCall(connection: nil, idBytes: id.map { Array($0.utf8) }, onlyAsks: true)
    }
}

extension RequestPipeline {
    /// Answers a call with its id in brackets.
    fileprivate mutating func answer(_ call: WaitingCall, _ held: inout JSONWriter) -> Answered {
        answer(call, into: &held, limitBytes: 10_000) {
            $0.raw("[")
            $0.raw(call.idBytes ?? [])
            $0.raw("]")
        }
    }
}

extension JSONWriter {
    fileprivate var text: String { String(decoding: bytes, as: UTF8.self) }
}

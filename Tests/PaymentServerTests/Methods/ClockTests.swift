import PaymentAPI
import PaymentCore
import PaymentTesting
import StrictJSON
import Testing

@testable import PaymentServer

@Suite struct ClockTests {
    private let control = ScriptedControl()

    @Test func `the clock is shown`() throws {
        control.edit {
            $0.now = Samples.noon
            $0.due = [Samples.noon.advanced(bySeconds: 1)]
        }
        let peer = try SteppedServer(testControl: control).connect()
        #expect(
            try peer.ask(Ask.line(1, "test.clock.get"))["result"]
                == [
                    "now": .string(Samples.noon.description),
                    "nextEventAt": .string(Samples.noon.advanced(bySeconds: 1).description),
                ])
    }

    @Test func `the clock goes from event to event and stops where it was told`() throws {
        control.edit {
            $0.now = Samples.noon
            $0.due = [1, 5, 10, 11].map { Samples.noon.advanced(bySeconds: $0) }
        }
        let server = try SteppedServer(testControl: control)
        let before = server.gateway.purchaseQuestions.count
        let peer = try server.connect()
        let reply = try peer.ask(Ask.line(1, "test.clock.advance", ["seconds": 10]))
        #expect(reply["result"]?["events"] == 3)
        let end = Samples.noon.advanced(bySeconds: 10)
        #expect(reply["result"]?["now"] == .string(end.description))
        #expect(
            reply["result"]?["nextEventAt"]
                == .string(Samples.noon.advanced(bySeconds: 11).description))
        // The queue looked at the store behind each event, before the next.
        #expect(server.gateway.purchaseQuestions.count >= before + 3)
    }

    @Test func `the queue hears of an event before the next one happens`() throws {
        let server = try SteppedServer(testControl: control)
        let gateway = server.gateway
        let seen = Counter()
        let questions = gateway.purchaseQuestions.count
        control.edit {
            $0.now = Samples.noon
            $0.due = [1, 2, 3].map { Samples.noon.advanced(bySeconds: $0) }
            $0.onEvent = {
                // Every event before this one was asked about.
                if gateway.purchaseQuestions.count >= questions + seen.value { seen.increment() }
            }
        }
        let peer = try server.connect()
        let reply = try peer.ask(Ask.line(1, "test.clock.advance", ["seconds": 3]))
        #expect(reply["result"]?["events"] == 3)
        #expect(seen.value == 3)
    }

    @Test func `an endless clock stops after so many events and says how far it came`() throws {
        control.edit {
            $0.now = Samples.noon
            $0.isEndless = true
        }
        let peer = try SteppedServer(testControl: control).connect()
        let reply = try peer.ask(Ask.line(1, "test.clock.advance", ["seconds": 20_000]))
        #expect(reply.errorCode == -32003)
        let data = reply["error"]?["data"]
        #expect(data?["events"] == 10_000)
        #expect(
            data?["now"] == .string(Samples.noon.advanced(bySeconds: 10_000).description))
    }

    @Test func `a store that does not answer the queue holds the clock up for a while only`() throws
    {
        control.edit {
            $0.now = Samples.noon
            $0.due = [Samples.noon.advanced(bySeconds: 1)]
        }
        let server = try SteppedServer(testControl: control)
        server.gateway.purchaseAnswers = .failing(.connectionError)
        let peer = try server.connect()
        try peer.send(Ask.line(1, "test.clock.advance", ["seconds": 2]))
        #expect(try peer.messages().isEmpty)
        server.advance(seconds: 11)
        #expect(try peer.messages().first?["result"]?["events"] == 1)
    }

    @Test func `a call whose peer has gone takes no further step`() throws {
        control.edit {
            $0.now = Samples.noon
            $0.due = [1, 2].map { Samples.noon.advanced(bySeconds: $0) }
        }
        let server = try SteppedServer(testControl: control)
        server.gateway.purchaseAnswers = .failing(.connectionError)
        let peer = try server.connect()
        try peer.send(Ask.line(1, "test.clock.advance", ["seconds": 9]))
        peer.channel.close(promise: nil)
        server.advance(seconds: 30)
        #expect(control.edit { $0.due.count } == 1)
    }
}

import Foundation
import Testing

@testable import Systemd

/// The environment is one for all threads, so whatever changes it runs in a process of its own.
@Suite struct NotifierTests {
    @Test(arguments: [false, true])
    func `every call is one datagram of exactly these bytes`(abstract: Bool) async {
        await #expect(processExitsWith: .success) { [abstract] in
            let manager = NotifySocket(abstract: abstract)
            manager.announce()
            let notifier = Notifier()
            #expect(notifier.isEnabled)
            let calls: [(NotifyOutcome, String)] = [
                (notifier.status("replaying 12 %"), "STATUS=replaying 12 %"),
                (
                    notifier.extendTimeout(by: .seconds(15), status: "replaying 40 %"),
                    "EXTEND_TIMEOUT_USEC=15000000\nSTATUS=replaying 40 %"
                ),
                (notifier.extendTimeout(by: .milliseconds(5)), "EXTEND_TIMEOUT_USEC=5000"),
                (notifier.ready(), "READY=1"),
                (notifier.ready(status: "2 clients"), "READY=1\nSTATUS=2 clients"),
                (notifier.watchdog(), "WATCHDOG=1"),
                (notifier.stopping(), "STOPPING=1"),
                (notifier.stopping(status: "draining"), "STOPPING=1\nSTATUS=draining"),
                (notifier.failing(errno: 5), "ERRNO=5"),
                (
                    notifier.failing(errno: 28, status: "no space"),
                    "ERRNO=28\nSTATUS=no space"
                ),
                (notifier.send([.ready, .watchdog]), "READY=1\nWATCHDOG=1"),
            ]
            for (outcome, text) in calls {
                #expect(outcome == .sent)
                #expect(manager.receive() == text)
            }
        }
    }

    @Test func `a reload carries the monotonic clock's reading in microseconds`() async {
        await #expect(processExitsWith: .success) {
            let manager = NotifySocket(abstract: false)
            manager.announce()
            let before = DispatchTime.now().uptimeNanoseconds / 1000
            Notifier().reloading(status: "reloading")
            let after = DispatchTime.now().uptimeNanoseconds / 1000
            let lines = (manager.receive() ?? "").split(separator: "\n")
            try #require(lines.count == 3)
            #expect(lines[0] == "RELOADING=1")
            #expect(lines[2] == "STATUS=reloading")
            let reading = try #require(UInt64(lines[1].dropFirst("MONOTONIC_USEC=".count)))
            #expect(lines[1].hasPrefix("MONOTONIC_USEC="))
            #expect((before...after).contains(reading))
        }
    }

    @Test func `a barrier returns when the manager has read what came before it`() async {
        await #expect(processExitsWith: .success) {
            let manager = NotifySocket(abstract: false)
            manager.announce()
            let notifier = Notifier()
            notifier.stopping()
            let answer = Thread { Notifier().barrier(timeout: .seconds(5)) }
            answer.start()
            #expect(manager.receive() == "STOPPING=1")
            #expect(manager.receive() == "BARRIER=1")
            while !answer.isFinished { sched_yield() }
        }
    }

    @Test func `a barrier that nobody answers gives up after its time`() async {
        await #expect(processExitsWith: .success) {
            let manager = NotifySocket(abstract: false)
            manager.announce()
            let outcome = Notifier().barrier(timeout: .milliseconds(20))
            #expect(outcome == .failed(errno: ETIMEDOUT))
            #expect(manager.receive() == "BARRIER=1")
        }
    }

    @Test func `without a manager every call does nothing`() async {
        await #expect(processExitsWith: .success) {
            unsetenv("NOTIFY_SOCKET")
            let notifier = Notifier()
            #expect(!notifier.isEnabled)
            #expect(notifier.ready() == .noManager)
            #expect(notifier.reloading() == .noManager)
            #expect(notifier.barrier(timeout: .seconds(5)) == .noManager)
            #expect(notifier.send([]) == .noManager)
        }
    }

    @Test func `a manager that went away is a failure to tell, not a trap`() async {
        await #expect(processExitsWith: .success) {
            setenv("NOTIFY_SOCKET", "/nonexistent/notify", 1)
            #expect(Notifier().ready() == .failed(errno: ENOENT))
            setenv("NOTIFY_SOCKET", "not a path", 1)
            #expect(Notifier().ready() != .sent)
        }
    }
}

@Suite struct ServiceStateTests {
    @Test func `a manager that reads nothing holds nobody up`() async {
        await #expect(processExitsWith: .success) {
            let manager = NotifySocket(abstract: false)
            manager.announce()
            let notifier = Notifier()
            var sent = 0
            while notifier.status("\(sent)") == .sent { sent += 1 }
            #expect(sent > 0)
            #expect(notifier.status("one more") == .failed(errno: EAGAIN))
            #expect(notifier.watchdog() == .failed(errno: EAGAIN))
            #expect(notifier.stopping() == .failed(errno: EAGAIN))
            let store = DescriptorStore()
            #expect(store.keep([0], name: "a", patience: .zero) == .failed(errno: EAGAIN))
            #expect(notifier.barrier(timeout: .milliseconds(10)) == .failed(errno: ETIMEDOUT))
            for number in 0..<sent { #expect(manager.receive() == "STATUS=\(number)") }
            #expect(notifier.watchdog() == .sent)
            #expect(manager.receive() == "WATCHDOG=1")
        }
    }

    @Test(arguments: [
        ("2 clients", "STATUS=2 clients"),
        ("", "STATUS="),
        ("a\nREADY=1", "STATUS=a READY=1"),
        ("a\r\u{0}\u{85}b", "STATUS=a   b"),
        ("größer als 5 €", "STATUS=größer als 5 €"),
    ])
    func `a status text cannot leave its line`(text: String, expected: String) {
        #expect(ServiceState.status(text).assignment == expected)
    }

    @Test func `a status text is cut at the limit, between characters`() {
        let full = String(repeating: "a", count: 1024)
        #expect(ServiceState.status(full).assignment == "STATUS=" + full)
        #expect(ServiceState.status(full + "b").assignment == "STATUS=" + full)
        let almost = String(repeating: "a", count: 1023)
        #expect(ServiceState.status(almost + "€").assignment == "STATUS=" + almost)
    }

    @Test(arguments: [
        (Duration.seconds(30), UInt64(30_000_000)),
        (.zero, 0),
        (.nanoseconds(1999), 1),
        (.seconds(-1), 0),
        (.nanoseconds(-1), 0),
        (.seconds(Int64.max), .max),
    ])
    func `a span is whole microseconds, never negative and never too large`(
        duration: Duration, microseconds: UInt64
    ) {
        #expect(duration.wholeMicroseconds == microseconds)
    }
}

@Suite struct StatusThrottleTests {
    @Test func `the first line passes at once and the next waits for a second`() {
        var throttle = StatusThrottle()
        #expect(throttle.offer("1", now: .seconds(10)) == "1")
        #expect(throttle.offer("2", now: .milliseconds(10_999)) == nil)
        #expect(throttle.due(now: .seconds(11)) == "2")
        #expect(throttle.due(now: .seconds(13)) == nil)
    }

    @Test func `of the lines that wait only the newest is sent`() {
        var throttle = StatusThrottle(interval: .seconds(2))
        #expect(throttle.offer("1", now: .zero) == "1")
        #expect(throttle.offer("2", now: .seconds(1)) == nil)
        #expect(throttle.offer("3", now: .seconds(1)) == nil)
        #expect(throttle.due(now: .seconds(2)) == "3")
    }

    @Test func `a line that was lost is due again`() {
        var throttle = StatusThrottle()
        #expect(throttle.offer("1", now: .zero) == "1")
        throttle.lost()
        #expect(throttle.due(now: .milliseconds(999)) == nil)
        #expect(throttle.due(now: .seconds(1)) == "1")
        throttle.lost()
        #expect(throttle.offer("2", now: .seconds(2)) == "2")
        #expect(throttle.due(now: .seconds(3)) == nil)
    }

    @Test func `a line that is shown already is not sent again`() {
        var throttle = StatusThrottle()
        #expect(throttle.offer("1", now: .zero) == "1")
        #expect(throttle.offer("1", now: .seconds(5)) == nil)
        #expect(throttle.offer("2", now: .seconds(5)) == "2")
        #expect(throttle.offer("3", now: .milliseconds(5500)) == nil)
        #expect(throttle.offer("2", now: .milliseconds(5600)) == nil)
        #expect(throttle.due(now: .seconds(9)) == nil)
    }
}

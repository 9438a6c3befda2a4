import Foundation
import Testing

@testable import Systemd

@Suite struct WatchdogTests {
    @Test func `the timeout comes from the manager and leaves the environment`() async {
        await #expect(processExitsWith: .success) {
            setenv("WATCHDOG_USEC", "30000000", 1)
            setenv("WATCHDOG_PID", "\(getpid())", 1)
            let watchdog = try #require(Watchdog.takeFromEnvironment())
            #expect(watchdog.timeout == .seconds(30))
            #expect(watchdog.tickInterval == .milliseconds(7500))
            #expect(getenv("WATCHDOG_USEC") == nil)
            #expect(getenv("WATCHDOG_PID") == nil)
            #expect(Watchdog.takeFromEnvironment() == nil)
        }
    }

    @Test func `a watchdog meant for another process is not ours`() async {
        await #expect(processExitsWith: .success) {
            setenv("WATCHDOG_USEC", "30000000", 1)
            setenv("WATCHDOG_PID", "1", 1)
            #expect(Watchdog.takeFromEnvironment() == nil)
        }
    }

    @Test(arguments: ["", "soon", "0", "-5"])
    func `a timeout that is no number is no watchdog`(text: String) async {
        await #expect(processExitsWith: .success) { [text] in
            setenv("WATCHDOG_USEC", text, 1)
            unsetenv("WATCHDOG_PID")
            #expect(Watchdog.takeFromEnvironment() == nil)
        }
    }
}

@Suite struct WatchdogGateTests {
    /// One tick after another: the loops' readings, and what they must come to.
    @Test func `a ping passes only when every loop moved since the last tick`() {
        let ticks: [([UInt64], WatchdogGate.Verdict)] = [
            ([1, 1], .ping),
            ([2, 1], .withhold(stalled: ["journal"])),
            ([2, 1], .withhold(stalled: ["clients", "journal"])),
            ([2, 2], .withhold(stalled: ["clients"])),
            ([3, 9], .ping),
            ([.max, 10], .ping),
            ([0, 11], .ping),
        ]
        var gate = WatchdogGate(loops: ["clients", "journal"])
        for (readings, verdict) in ticks {
            #expect(gate.tick(beats: readings) == verdict)
        }
    }

    @Test func `the first tick wants a beat of each loop`() {
        var gate = WatchdogGate(loops: ["clients"])
        #expect(gate.tick(beats: [0]) == .withhold(stalled: ["clients"]))
    }

    @Test func `a loop that beats from another thread is seen`() async {
        let pulses = [LoopPulse(name: "clients"), LoopPulse(name: "journal")]
        var gate = WatchdogGate(watching: pulses)
        await Task { pulses.forEach { $0.beat() } }.value
        #expect(gate.tick(pulses) == .ping)
        pulses[0].beat()
        #expect(gate.tick(pulses) == .withhold(stalled: ["journal"]))
    }

    @Test func `a reading too few stops the process`() async {
        await #expect(processExitsWith: .failure) {
            var gate = WatchdogGate(loops: ["clients", "journal"])
            _ = gate.tick(beats: [1])
        }
    }
}

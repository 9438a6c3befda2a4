import PaymentTesting
import Testing

@testable import PaymentCore

@Suite("The throttle of wrong tries")
struct ThrottleTests {
    private static let anna: UInt32 = 1000
    private static let bert: UInt32 = 1001

    @Test("Ten wrong tries in a minute are answered, then there is a pause that grows to a bound")
    func pauses() {
        var throttle = Throttle()
        var now = Duration.zero
        for _ in 1...10 { #expect(throttle.fail(Self.anna, at: now) == nil) }
        var found: [Duration] = []
        for _ in 1...8 {
            guard let pause = throttle.wait(of: Self.anna, at: now) else { break }
            found.append(pause)
            #expect(throttle.wait(of: Self.anna, at: now + pause - .milliseconds(1)) != nil)
            now += pause
            // A later minute has ten tries before its pause.
            while throttle.fail(Self.anna, at: now) == nil {}
        }
        #expect(found == [5, 10, 20, 40, 80, 160, 300, 300].map { .seconds($0) })
    }

    @Test("Other users are not slowed down")
    func others() {
        var throttle = Throttle()
        for _ in 1...11 { _ = throttle.fail(Self.anna, at: .zero) }
        #expect(throttle.wait(of: Self.anna, at: .zero) == .seconds(5))
        #expect(throttle.wait(of: Self.bert, at: .zero) == nil)
    }

    @Test("A right try is accepted as soon as the pause is over, and the next pause is longer")
    func right() {
        var throttle = Throttle()
        for _ in 1...10 { #expect(throttle.fail(Self.anna, at: .zero) == nil) }
        #expect(throttle.wait(of: Self.anna, at: .milliseconds(4_999)) == .milliseconds(1))
        #expect(throttle.wait(of: Self.anna, at: .seconds(5)) == nil)
        #expect(throttle.fail(Self.anna, at: .seconds(5)) == nil)
        #expect(throttle.wait(of: Self.anna, at: .seconds(5)) == .seconds(10))
    }

    @Test("Wrong tries are forgotten: those of a minute with it, the pauses after ten minutes")
    func forgotten() {
        var throttle = Throttle()
        for _ in 1...9 { #expect(throttle.fail(Self.anna, at: .zero) == nil) }
        for _ in 1...9 { #expect(throttle.fail(Self.anna, at: .seconds(60)) == nil) }
        #expect(throttle.fail(Self.anna, at: .seconds(60)) == nil)
        #expect(throttle.wait(of: Self.anna, at: .seconds(60)) == .seconds(5))
        for _ in 1...10 { #expect(throttle.fail(Self.anna, at: .seconds(700)) == nil) }
        #expect(throttle.wait(of: Self.anna, at: .seconds(700)) == .seconds(5))
    }

    @Test("Only so many users are remembered, and the one that tried last is")
    func bounded() {
        var throttle = Throttle(mostUsers: 3)
        for user in 0..<UInt32(10) {
            _ = throttle.fail(user, at: .seconds(Int64(user)))
            #expect(throttle.userCount <= 3)
        }
        for _ in 1...9 { _ = throttle.fail(9, at: .seconds(9)) }
        #expect(throttle.wait(of: 9, at: .seconds(9)) == .seconds(5))
        _ = throttle.fail(10, at: .seconds(9))
        #expect(throttle.wait(of: 9, at: .seconds(9)) == .seconds(5))
    }
}

extension Throttle {
    /// A wrong try; the time to wait instead, if there is one.
    fileprivate mutating func fail(_ user: UInt32, at now: Duration) -> Duration? {
        if let pause = wait(of: user, at: now) { return pause }
        noteWrong(by: user, at: now)
        return nil
    }
}

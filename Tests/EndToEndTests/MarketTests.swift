import Foundation
import PaymentTesting
import Testing

/// The market that `make market` shows: a store, two devices, two publishers.
@Suite("make market", .ownThreads)
struct MarketTests {
    /// How the script ends when something that it needs cannot be had.
    private static let missing: Int32 = 75

    @Test("It shows purchases, renewal, restore, refunds and end, and leaves nothing running")
    func market() throws {
        // Made once, where the script looks too.
        guard Python.with("joserfc") != nil else {
            return Skip.because("joserfc is not installed and cannot be")
        }
        let place = try Workplace()
        let shown = try Self.run(in: place)
        guard shown.ending != .exit(Self.missing) else { return Skip.because(shown.errors) }
        #expect(shown.ending == .exit(0), "\(shown.output)\n\(shown.errors)")
        let said = [
            "device 1 bought remove-ads", "charged 4.99 EUR", "python purchase: granted remove-ads",
            "node purchase: granted remove-ads, as before",
            "python another account's order: refused, foreign",
            "charged 0.00 EUR",
            "device 1 heard that coins.100 is refunded, and unlocks nothing",
            "python purchase refunded at once: refused, revoked",
            "device 1 heard of the renewal", "node renewal: granted pro.monthly",
            "device 2 restored remove-ads and pro.monthly",
            "device 1 heard that remove-ads is revoked",
            "python refunded purchase: refused, revoked",
            "node ended subscription: refused, expired",
            "market closed: everything was as it should be",
        ]
        var rest = shown.output.replacing(#/ +/#, with: " ")[...]
        for words in said {
            let found = try #require(rest.range(of: words), "'\(words)' in \(rest)")
            rest = rest[found.upperBound...]
        }
        try Self.expectNothingLeft(shown.output, in: place)
    }

    @Test("It fails, says why and leaves nothing when a program does not do what it should")
    func broken() throws {
        guard Python.with("joserfc") != nil else {
            return Skip.because("joserfc is not installed and cannot be")
        }
        let place = try Workplace()
        for name in ["payqueued", "payqueue-store"] {
            let bins = place("bins-\(name)")
            try FileManager.default.createDirectory(
                atPath: bins, withIntermediateDirectories: false)
            for program in [Built.daemon, Built.store] {
                let own = URL(filePath: program).lastPathComponent
                try FileManager.default.createSymbolicLink(
                    atPath: "\(bins)/\(own)",
                    withDestinationPath: own == name ? "/bin/false" : program)
            }
            let shown = try Self.run(in: place, bins: bins)
            guard shown.ending != .exit(Self.missing) else { return Skip.because(shown.errors) }
            #expect(shown.ending == .exit(1), "\(shown.output)")
            #expect(shown.errors.contains("\(bins)/\(name)"), "\(shown.errors)")
            try Self.expectNothingLeft(shown.output, in: place)
        }
    }

    private static func run(
        in place: Workplace, bins: String? = nil
    ) throws -> (ending: Child.Ending, output: String, errors: String) {
        try Child.run(
            [
                "python3", Built.root.appending(path: "clients/market.py").path, "--bins",
                bins ?? URL(filePath: Built.store).deletingLastPathComponent().path,
            ], in: place,
            environment: ["TMPDIR": place.path, "PYTHONDONTWRITEBYTECODE": "1"], seconds: 300)
    }

    private static func expectNothingLeft(_ output: String, in place: Workplace) throws {
        let left = try FileManager.default.contentsOfDirectory(atPath: place.path)
        #expect(!left.contains { $0.hasPrefix("payqueue-market-") })
        let running = try Child.run(
            ["sh", "-c", "cat /proc/[0-9]*/cmdline | tr '\\0' ' '"], in: place)
        #expect(!running.output.contains("\(place.path)/payqueue-market-"))
    }
}

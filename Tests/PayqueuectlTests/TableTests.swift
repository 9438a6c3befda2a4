import PaymentCore
import StrictJSON
import Testing

@testable import payqueuectl

/// Tables that must not be wider than a terminal.
@Suite("Tables that fit")
struct TableTests {
    private static let one = "7ab4537c-d34c-4cc8-8b4a-5acdb0a6603c"
    private static let two = "7ab4537c-d34d-4cc8-8b4a-5acdb0a6603c"

    private static func table(_ ids: [String]) -> TextTable {
        var table = TextTable(.id("ID"), "STATE", .text("TITLE"))
        for id in ids { table.add([.init(id), "purchased", "A rather long title of a product"]) }
        return table
    }

    @Test("Without a width, and where there is room, everything is whole", arguments: [nil, 200])
    func whole(width: Int?) {
        let lines = Self.table([Self.one]).lines(ifEmpty: "", width: width)
        #expect(lines[1] == "\(Self.one)  purchased  A rather long title of a product")
    }

    @Test("A line ends with its last text, also where cells at its end are empty")
    func emptyCells() {
        var table = TextTable(.id("ID"), "STATE", .text("TITLE"))
        table.add([.init(Self.one), "purchased", ""])
        table.add([.init(Self.two), "", ""])
        let lines = table.lines(ifEmpty: "", width: nil)
        #expect(lines.dropFirst() == ["\(Self.one)  purchased", Self.two])
    }

    @Test("Ids are shortened first, as far as they stay different")
    func ids() {
        let lines = Self.table([Self.one]).lines(ifEmpty: "", width: 60)
        #expect(lines[1] == "7ab4537c  purchased  A rather long title of a product")
        let both = Self.table([Self.one, Self.two]).lines(ifEmpty: "", width: 60)
        #expect(both[1].hasPrefix("7ab4537c-d34c  "))
        #expect(both[2].hasPrefix("7ab4537c-d34d  "))
    }

    @Test("Then texts are cut, and no line is ever wider", arguments: 1...80)
    func texts(width: Int) {
        let lines = Self.table([Self.one]).lines(ifEmpty: "", width: width)
        #expect(lines.allSatisfy { ScreenText.columns(of: $0) <= width }, "\(lines)")
        if width == 40 { #expect(lines[1] == "7ab4537c  purchased  A rather long titl…") }
    }

    @Test(
        "An age is in its largest unit",
        arguments: [
            ("10:00:00", "0s"), ("09:59:01", "59s"), ("09:58:01", "119s"), ("09:58:00", "2m"),
            ("08:00:01", "119m"), ("08:00:00", "2h"), ("10:00:25", "in 25s"),
        ])
    func ages(time: String, expected: String) throws {
        let now = try #require(Timestamp("2026-01-05T10:00:00.000Z"))
        #expect(TimeText.age(.string("2026-01-05T\(time).000Z"), now: now) == expected)
    }

    @Test("Days follow hours; a time in another form is shown as it is, none not at all")
    func otherAges() throws {
        let now = try #require(Timestamp("2026-01-05T10:00:00.000Z"))
        #expect(TimeText.age("2026-01-03T10:00:01.000Z", now: now) == "47h")
        #expect(TimeText.age("2026-01-03T10:00:00.000Z", now: now) == "2d")
        #expect(TimeText.age("soon", now: now) == "soon")
        #expect(TimeText.age(nil, now: now).isEmpty)
    }

    @Test("The line that moves tells per cent and size, and never more than all")
    func progress() {
        #expect(
            ProgressLine.text("verifying", done: 3 << 20, total: 8 << 20)
                == "verifying: 37 %, 3 of 8 MiB")
        #expect(ProgressLine.text("reading", done: 9, total: 8).contains("100 %"))
        #expect(ProgressLine.text("reading", done: 0, total: 0).contains("100 %"))
    }
}

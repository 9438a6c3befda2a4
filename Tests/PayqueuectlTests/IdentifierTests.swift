import StrictJSON
import Testing

@testable import payqueuectl

/// Ids that are typed in part, and names that are typed wrong.
@Suite("Ids and names on the command line")
struct IdentifierTests {
    private static let candidates = [
        Identifiers.Candidate(id: "7ab4537c-d34c-4cc8-8b4a-5acdb0a6603c", about: "coins.100"),
        Identifiers.Candidate(id: "7ab4537c-e34c-4cc8-8b4a-5acdb0a6603c", about: "map.berlin"),
        Identifiers.Candidate(id: "ac42cc96-19b4-4431-8fe3-1b4d3f1f5736", about: "coins.100"),
    ]

    @Test(
        "Six hexadecimal digits or more are a beginning; a whole id and other texts are not",
        arguments: [
            ("7ab453", true), ("7ab45", false), ("7ab4537c-d", true), ("t1", false),
            ("7ab4537c-d34c-4cc8-8b4a-5acdb0a6603c", false), ("nothing", false),
            ("7AB4537C", false), ("7ab4537c-d34c-4cc8-8b4a-5acdb0a6603", true),
        ])
    func beginnings(text: String, expected: Bool) {
        #expect(Identifiers.isBeginning(text) == expected)
    }

    @Test(
        "A beginning that fits one is that one, one that fits none is nothing",
        arguments: [
            ("ac42cc", "ac42cc96-19b4-4431-8fe3-1b4d3f1f5736"),
            ("7ab4537c-e", "7ab4537c-e34c-4cc8-8b4a-5acdb0a6603c"), ("ffffff", nil),
        ] as [(String, String?)])
    func one(text: String, expected: String?) throws {
        let found = try Identifiers.choose(
            text, .transaction, from: Self.candidates, action: "finish")
        #expect(found == expected)
    }

    @Test("A beginning that fits several is refused with all of them")
    func several() throws {
        let failure = try #require(throws: CommandFailure.self) {
            try Identifiers.choose(
                "7ab453", .transaction, from: Self.candidates, action: "finish '7ab453'")
        }
        #expect(failure.status == .refused)
        #expect(failure.kind == "ambiguous")
        #expect(failure.description.contains("matches 2 transactions: 7ab4537c-d34c-"))
        #expect(failure.description.contains("(map.berlin)"))
        #expect(failure.data?["candidates"]?.arrayValue?.count == 2)
    }

    @Test("A product that is not sold is refused with the nearest")
    func products() {
        let failure = ProductNames.failure(
            "watch the queue", unknown: "coins.10", names: ["coins.100", "pro.monthly"])
        #expect(
            failure.description.hasSuffix("'coins.10' is not sold here; the nearest is 'coins.100'")
        )
        #expect(failure.kind == "unknownProduct")
        let far = ProductNames.failure("watch", unknown: "zebra", names: ["coins.100"])
        #expect(far.description.hasSuffix("is not sold here"))
    }

    @Test(
        "A worker is an observer that is connected, active, another program, and shown the product",
        arguments: [
            (#"{"client":"game","connected":true,"passive":false}"#, "game"),
            (#"{"name":"w","client":"game","connected":true}"#, "w"),
            (#"{"client":"game","connected":true,"products":["coins.100"]}"#, "game"),
            (#"{"client":"game","connected":true,"products":["map.berlin"]}"#, nil),
            (#"{"client":"game","connected":true,"kinds":["questionOpened"]}"#, nil),
            (#"{"client":"game","connected":true,"passive":true}"#, nil),
            (#"{"name":"w","connected":false}"#, nil),
            (#"{"client":"payqueuectl","connected":true}"#, nil),
        ] as [(String, String?)])
    func workers(observer: String, expected: String?) throws {
        let answer = try JSONValue(parsing: #"{"observers":["# + observer + "]}")
        #expect(ObserverText.worker(for: "coins.100", in: answer) == expected)
    }
}

import PaymentHistory
import PaymentStorage
import StrictJSON
import Testing

@testable import payqueuectl

/// What other modules call a fault by a word for programs, in words for people.
@Suite("The words of faults")
struct FaultWordsTests {
    @Test("Every reason to doubt a journal is said in English")
    func journal() {
        for reason in RecoveryRefusal.Reason.allCases {
            let words = JournalText.words("\(reason.rawValue) at byte 8, sequence 5")
            #expect(words.hasSuffix(" at byte 8, sequence 5"))
            #expect(!Self.hasWordOfPrograms(words), "\(words)")
        }
        let refusal = RecoveryRefusal(.missingSegment, file: "journal-1", offset: 3)
        #expect(
            JournalText.words(refusal.description)
                == "journal refused: a segment that is missing in 'journal-1' at byte 3")
    }

    @Test("Damaged files are told with what to do, unreadable ones with something else")
    func verify() {
        let damaged = JournalText.failure(exitCode: 1, path: "/st")
        #expect(damaged.status == .refused)
        #expect(damaged.advice.contains("restore-backup BACKUP --state-directory /st"))
        #expect(damaged.advice.contains("journal repair --state-directory /st --into"))
        let unreadable = JournalText.failure(exitCode: 2, path: "/st")
        #expect(unreadable.status.rawValue == 2)
        #expect(!unreadable.advice.contains("repair"))
    }

    @Test(
        "What is no signed history is told in English",
        arguments: [
            .tooLong, .notThreeParts, .emptyPart, .spelling(.signature), .notJSON(.header),
            .repeatedMember(.payload), .notAnObject(.header), .critical,
        ] as [JWSFault])
    func history(fault: JWSFault) {
        let reason = HistoryText.reason(.form(fault))
        #expect(reason.hasPrefix("it is not a compact JWS: it") || fault == .emptyPart)
        #expect(!Self.hasWordOfPrograms(reason), "\(reason)")
    }

    @Test("A file of garbage is refused with what is wrong with it")
    func garbage() throws {
        let keys = try HistoryText.keySet(Array(#"{"keys":[]}"#.utf8), from: "a test")
        let failure = try #require(throws: CommandFailure.self) {
            var history = HistoryText(keys: keys, json: false)
            try history.verify(lines: Array("garbage\n".utf8))
        }
        #expect(failure.description.hasSuffix("three parts with dots between them"))
        #expect(failure.advice.contains("complete and unchanged"))
    }

    /// Whether a word has a capital inside.
    private static func hasWordOfPrograms(_ text: String) -> Bool {
        text.split(separator: " ").contains { word in
            word != "JSON" && word != "JWS:" && word.dropFirst().contains(where: \.isUppercase)
        }
    }
}

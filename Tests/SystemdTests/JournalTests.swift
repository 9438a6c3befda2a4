import Foundation
import Testing

@testable import Systemd

@Suite struct JournalTests {
    @Test func `an entry is sent as these fields in this order`() throws {
        let entry = JournalEntry(
            message: "listening", priority: .notice,
            messageID: JournalMessageID("0123456789abcdef0123456789abcdef"),
            fields: try [
                #require(JournalEntry.Field(name: "EXAMPLE_CLIENT_UID", value: "1000")),
                #require(JournalEntry.Field(name: "EXAMPLE_REASON", value: "a\nb=c")),
            ])
        #expect(
            entry.assignments == [
                "MESSAGE=listening", "PRIORITY=5",
                "MESSAGE_ID=0123456789abcdef0123456789abcdef", "EXAMPLE_CLIENT_UID=1000",
                "EXAMPLE_REASON=a\nb=c",
            ])
    }

    @Test func `the priorities are numbered as syslog numbers them`() {
        #expect(JournalPriority.allCases.map(\.rawValue) == Array(0...7))
        #expect(JournalPriority.warning.rawValue == 4)
    }

    @Test(arguments: [
        ("A", true), ("EXAMPLE_2", true), (String(repeating: "A", count: 64), true),
        (String(repeating: "A", count: 65), false), ("", false), ("_A", false), ("2A", false),
        ("a", false), ("A-B", false), ("A=B", false), ("Ä", false),
    ])
    func `a field name that the journal would drop is refused`(name: String, isValid: Bool) {
        #expect((JournalEntry.Field(name: name, value: "") != nil) == isValid)
    }

    @Test(arguments: [
        ("0123456789abcdef0123456789abcdef", true),
        ("0123456789ABCDEF0123456789ABCDEF", false),
        ("0123456789abcdef0123456789abcde", false),
        ("0123456789abcdef0123456789abcdef0", false),
        ("01234567-89ab-cdef-0123-456789abcdef", false),
        ("", false),
    ])
    func `a message id is 32 small hexadecimal digits`(digits: String, isValid: Bool) {
        #expect((JournalMessageID(digits) != nil) == isValid)
    }

    @Test(
        .enabled(if: !Journald.isAvailable, "this machine has a journal, which tests leave alone"))
    func `an entry for a journal that is not there does no harm`() {
        #expect(Journald.send(JournalEntry(message: "lost", priority: .debug)))
    }
}

@Suite struct JournalStreamTests {
    @Test(arguments: [
        "", ":", "1", "1:", ":1", "1:2:3", "a:b", "-1:2", "+1:2", " 1:2", "1:99999999999999999999",
    ])
    func `an announcement that is not two numbers names no stream`(text: String) {
        #expect(JournalStream.parse(text) == nil)
    }

    @Test func `only the announced stream is the journal's`() {
        let pipe = Pipe()
        let other = Pipe()
        let descriptor = pipe.fileHandleForWriting.fileDescriptor
        var status = stat()
        fstat(descriptor, &status)
        let announced = "\(status.st_dev):\(status.st_ino)"
        #expect(JournalStream.isJournal(descriptor: descriptor, announced: announced))
        #expect(
            !JournalStream.isJournal(
                descriptor: other.fileHandleForWriting.fileDescriptor, announced: announced))
        #expect(!JournalStream.isJournal(descriptor: descriptor, announced: nil))
        #expect(!JournalStream.isJournal(descriptor: -1, announced: announced))
    }

    @Test func `standard error is recognised by its device and inode`() async {
        await #expect(processExitsWith: .success) {
            var status = stat()
            fstat(STDERR_FILENO, &status)
            setenv("JOURNAL_STREAM", "\(status.st_dev):\(status.st_ino)", 1)
            #expect(JournalStream.isStandardError)
            setenv("JOURNAL_STREAM", "\(status.st_dev):\(status.st_ino + 1)", 1)
            #expect(!JournalStream.isStandardError)
            unsetenv("JOURNAL_STREAM")
            #expect(!JournalStream.isStandardError)
        }
    }
}

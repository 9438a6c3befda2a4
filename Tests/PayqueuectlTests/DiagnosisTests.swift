import Foundation
import PaymentClient
import PaymentStorage
import StrictJSON
import Testing

@testable import payqueuectl

/// What the doctor finds.
@Suite("The doctor")
struct DiagnosisTests {
    private static let hello = #"{"server":{"version":"1"},"roles":["observe","buy"]}"#
    private static let healthy = #"""
        {"state":"running","since":"2026-01-05T10:00:00.000Z","account":"demo","persistence":{"volatile":false},
        "store":{"name":"sandbox","state":"available"},"canMakePayments":{"value":true},
        "queue":{"waitingFor":{}},"questions":0}
        """#
    private static let observers = #"{"observers":[{"connected":true,"passive":false}]}"#

    private static func findings(
        hello: String = hello, status: String = healthy, observers: String = observers,
        products: String = #"{"products":[{}]}"#
    ) throws -> [Finding] {
        Diagnosis.findings(
            DaemonAnswers(
                hello: try JSONValue(parsing: hello), status: try JSONValue(parsing: status),
                observers: try JSONValue(parsing: observers),
                products: try JSONValue(parsing: products)),
            now: Date(timeIntervalSince1970: 1_767_607_200), connection: " --socket /s")
    }

    @Test("A healthy daemon has nothing but good findings")
    func healthy() throws {
        #expect(try Self.findings().allSatisfy { $0.level == .good })
    }

    @Test(
        "Each trouble is told with what to do",
        arguments: [
            (#""running""#, #""draining""#, "draining", "drain off"),
            (#""account":"demo""#, #""account":null"#, "no account is logged in", "login NAME"),
            (
                #""account":"demo""#,
                #""account":null,"sessionEnded":{"account":"demo","at":"2026-01-05T10:00:00.000Z"}"#,
                "the store ended the session of 'demo'", "login demo --socket /s"
            ),
            (#""value":true"#, #""value":false,"reason":"parental""#, "parental", "allow"),
            (#""available""#, #""unreachable","lastError":"no route""#, "no route", "store"),
            (#""waitingFor":{}"#, #""waitingFor":{"observer":2}"#, "2 purchases", "--observe"),
            (#""waitingFor":{}"#, #""waitingFor":{"observer":1}"#, "1 purchase is", "--observe"),
            (
                #""volatile":false"#,
                #""volatile":false,"lastCommit":"2026-01-05T11:00:00.000Z""#, "set back",
                "timedatectl"
            ),
            (
                #""volatile":false"#, #""volatile":false,"lastError":"disk full""#, "disk full",
                "free some space"
            ),
        ])
    func troubles(part: String, replacement: String, sentence: String, advice: String) throws {
        let status = Self.healthy.replacing(part, with: replacement)
        let bad = try Self.findings(status: status).filter { $0.level == .bad }
        #expect(bad.count == 1)
        #expect(bad.first?.sentence.contains(sentence) == true)
        #expect(bad.first?.advice?.contains(advice) == true)
    }

    @Test("A daemon that nobody observes, or on a volatile disk, works but is worth a note")
    func notes() throws {
        let passive = #"{"observers":[{"connected":true,"passive":true}]}"#
        let status = Self.healthy.replacing(#""volatile":false"#, with: #""volatile":true"#)
        let found = try Self.findings(status: status, observers: passive)
        #expect(found.count { $0.level == .notable } == 2)
        #expect(!found.contains { $0.level == .bad })
    }

    @Test("Something else on the socket is told apart")
    func stranger() throws {
        #expect(try Self.findings(hello: "{}").contains { $0.level == .bad })
    }

    @Test("A catalogue that sells nothing here is told")
    func catalogue() throws {
        let found = try Self.findings(products: #"{"products":[]}"#)
        #expect(found.contains { $0.level == .bad && $0.sentence.contains("has no products") })
    }

    @Test(
        "A socket that does not answer is told apart by what is there",
        arguments: [
            (SocketFacts(path: "/r/s", kind: .missing, folderExists: false), "systemctl start"),
            (SocketFacts(path: "/r/s", kind: .missing), "payqueued --demo --socket /r/s"),
            (SocketFacts(path: "/r/s", kind: .other), "--socket"),
            (SocketFacts(path: "/r/s", kind: .socket), "systemctl restart"),
        ])
    func sockets(facts: SocketFacts, advice: String) {
        let finding = SocketDiagnosis.finding(facts)
        #expect(finding.level == .bad)
        #expect(finding.advice?.contains(advice) == true, "\(finding)")
    }

    /// A socket or a directory that a user may not use.
    private static func denied(
        mode: UInt32, group: String = "buyers", _ membership: SocketAccess.Membership = .none,
        obstacle: SocketAccess.Obstacle = .socket, user: String? = "ann"
    ) -> SocketAccess {
        var access = SocketAccess(path: obstacle == .socket ? "/r/s" : "/r")
        (access.mode, access.group, access.membership) = (mode, group, membership)
        (access.obstacle, access.owner, access.user) = (obstacle, "bob", user)
        return access
    }

    @Test(
        "Joining a group is advised only where it helps, and with a new login",
        arguments: [
            (denied(mode: 0o660), "'sudo usermod -aG buyers ann', then log out and in again"),
            (denied(mode: 0o750, obstacle: .directory), "usermod -aG buyers ann"),
            (denied(mode: 0o660, .afterLogin), "'newgrp buyers'"),
            (denied(mode: 0o600), "ask 'bob' to open the socket"),
            (denied(mode: 0o640), "ask 'bob' to open the socket"),
            (denied(mode: 0o660, .effective), "ask 'bob' to open the socket"),
            (denied(mode: 0o660, group: "root"), "use sudo"),
            (denied(mode: 0o660, user: nil), "ask 'bob' to open the socket"),
            (denied(mode: 0o700, obstacle: .directory), "access to the directory '/r'"),
        ])
    func permission(access: SocketAccess, advice: String) {
        var facts = SocketFacts(path: "/r/s", kind: .socket)
        facts.denied = access
        let finding = SocketDiagnosis.finding(facts)
        #expect(finding.level == .bad)
        #expect(finding.sentence.contains("'\(access.path)' (mode "), "\(finding.sentence)")
        #expect(finding.advice?.contains(advice) == true, "\(finding)")
        let helps = access.mode & 0o030 == 0o020 || access.mode == 0o750 || access.mode == 0o660
        #expect(helps || finding.advice?.contains("usermod") == false)
    }

    @Test("A state directory tells of locks, permissions, disks and room")
    func state() throws {
        func bad(_ change: (inout StateFacts) -> Void, isAnswered: Bool = false) -> [String] {
            var facts = StateFacts(path: "/st")
            change(&facts)
            return StateDiagnosis.findings(facts, socket: "/r/s", isAnswered: isAnswered)
                .filter { $0.level != .good }.map { "\($0.sentence): \($0.advice ?? "")" }
        }
        let lock = try JSONValue(parsing: #"{"pid":7,"socket":"/other"}"#)
        #expect(bad { _ in } == [])
        #expect(bad { $0.mode = 0o770 }.first?.contains("chmod go-w /st") == true)
        #expect(bad { $0.freeBytes = 1 << 20 }.first?.contains("only 1 MiB") == true)
        #expect(bad { $0.kind = .network }.first?.contains("NFS") == true)
        #expect(bad { $0.kind = .volatile }.first?.contains("reboot") == true)
        #expect(bad { $0.lock = lock }.first?.contains("process 7 did not stop cleanly") == true)
        #expect(bad { $0.holder = 9 }.first?.contains("process 9 uses") == true)
        #expect(
            bad { ($0.holder, $0.lock) = (9, lock) }.first?.contains("--socket /other") == true)
        #expect(bad({ ($0.holder, $0.lock) = (9, lock) }, isAnswered: true) == [])
    }
}

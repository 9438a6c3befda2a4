import Foundation
import StrictJSON
import Testing

@testable import EtcdJournal

@Suite("Keys and values of etcd")
struct CodingTests {
    @Test("are coded as Foundation codes Base64", arguments: 0..<70)
    func base64(count: Int) {
        let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 * 89 + count) }
        var text: [UInt8] = []
        Base64.append(bytes, to: &text)
        let string = String(decoding: text, as: UTF8.self)
        #expect(string == Data(bytes).base64EncodedString())
        #expect(Base64.decode(string) == bytes)
    }

    @Test(
        "are refused if they are not Base64",
        arguments: ["a", "ab", "abc", "a$bc", "ab=c=", "===="])
    func noBase64(text: String) {
        #expect(Base64.decode(text) == nil)
    }

    @Test("have the order of the lines")
    func order() {
        let keys = ClusterKeys(prefix: "p")
        let numbers: [UInt64] = [1, 9, 10, 99, 100, 1 << 52]
        let names = numbers.map { keys.lines(from: $0) }
        #expect(names == names.sorted())
        #expect(names.compactMap { keys.first(ofLines: $0) } == numbers)
        #expect(names.allSatisfy { $0 < keys.linesEnd })
        #expect(keys.first(ofLines: "p/head") == nil)
    }

    @Test(
        "Versions of etcd have known faults",
        arguments: [
            ("3.3.27", .losesData), ("3.4.20", .losesData), ("3.4.21", .readsOldData),
            ("3.4.41", .readsOldData), ("3.4.42", nil), ("3.5.21", nil), ("3.6.8", .readsOldData),
            ("3.6.9", nil), ("3.7.0-alpha.0", nil), ("new", nil),
        ] as [(String, EtcdMember.Fault?)])
    func versions(version: String, fault: EtcdMember.Fault?) throws {
        let status = try JSONValue(
            parsing: Array(
                #"{"header":{"member_id":"9372538179322589801"},"leader":"9372538179322589801","version":"\#(version)"}"#
                    .utf8))
        let member = EtcdMember(address: "e:1", status)
        #expect(member.fault == fault)
        #expect(member.isLeader)
        #expect(EtcdMember(address: "e:1", nil).fault == nil)
    }

    @Test("The head says where the log ends")
    func head() {
        let head = ClusterHead(end: LogEnd(next: 42, chain: 0xAB), term: 7)
        #expect(
            String(decoding: head.bytes, as: UTF8.self) == #"{"c":"000000ab","next":42,"term":7}"#)
        #expect(ClusterHead(head.bytes) == head)
        #expect(ClusterHead(Array(#"{"next":42}"#.utf8)) == nil)
    }

    @Test("The end of a prefix is behind all that begin with it")
    func prefixEnd() {
        #expect(EtcdClient.end(ofPrefix: "a/") == "a0")
    }
}

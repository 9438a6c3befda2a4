internal import PaymentCore

/// The names that the files of a journal have.
enum FileName {
    /// Space that is allocated for this directory until it is needed; further parts have a number.
    static let reserve = "reserve"
    /// The next segment while it is being prefilled.
    static let spare = "spare"
    /// The directory of bytes that recovery has cut, and of files that were replaced.
    static let quarantine = "quarantine"
    /// The directory of backups.
    static let backups = "backups"
    /// The format of the directory.
    static let format = "format.json"
    /// The file whose lock the owner of the directory holds.
    static let lock = "lock"

    /// The name of the segment that begins with a sequence number.
    static func segment(first: SequenceNumber) -> String {
        "journal-\(padded(first)).ndjson"
    }

    /// The name of the snapshot of the state after a sequence number.
    static func snapshot(last: SequenceNumber) -> String {
        "snapshot-\(padded(last)).json"
    }

    /// The first sequence number of the segment of that name, nil if it is no segment's name.
    static func segmentFirst(_ name: String) -> SequenceNumber? {
        // The first line has number 1.
        number(in: name, prefix: "journal-", suffix: ".ndjson").flatMap { $0 > 0 ? $0 : nil }
    }

    /// The sequence number of the snapshot of that name, nil if it is no snapshot's name.
    static func snapshotLast(_ name: String) -> SequenceNumber? {
        number(in: name, prefix: "snapshot-", suffix: ".json")
    }

    /// The name of a part of the reserve, counted from 0.
    static func reserve(_ number: Int) -> String {
        number == 0 ? reserve : "\(reserve)-\(number)"
    }

    /// The number of the part of the reserve with that name, nil if it is none.
    static func reserveNumber(_ name: String) -> Int? {
        if name == reserve { return 0 }
        guard name.hasPrefix("\(reserve)-") else { return nil }
        return Int(name.dropFirst(reserve.utf8.count + 1)).flatMap {
            $0 > 0 && reserve($0) == name ? $0 : nil
        }
    }

    static func padded(_ number: SequenceNumber) -> String {
        let digits = String(number)
        return String(repeating: "0", count: 20 - digits.utf8.count) + digits
    }

    private static func number(
        in name: String, prefix: String, suffix: String
    ) -> SequenceNumber? {
        guard name.hasPrefix(prefix), name.hasSuffix(suffix) else { return nil }
        let digits = name.dropFirst(prefix.count).dropLast(suffix.count)
        guard digits.utf8.count == 20, digits.utf8.allSatisfy({ $0 >= 0x30 && $0 <= 0x39 }),
            let number = SequenceNumber(digits), number < LineFormat.sequenceLimit
        else { return nil }
        return number
    }
}

import StrictJSON

/// The nodes that share a queue, for users.
enum ClusterText {
    /// The lines of a reply to `cluster`.
    static func lines(_ answer: JSONValue) -> [String] {
        let end = answer["line"]?.intValue
        var nodes = TextTable("node", "up", "version", "lines behind", "peer")
        for node in answer["nodes"]?.arrayValue ?? [] {
            let behind = end.flatMap { end in node["line"]?.intValue.map { max(0, end - $0) } }
            nodes.add([
                .init(text(node["node"])), isUp(node), .init(text(node["version"])),
                .init(behind.map(String.init) ?? "?"), .init(text(node["peer"], else: "none")),
            ])
        }
        var members = TextTable("etcd", "up", "version", "bytes", "leader")
        for member in answer["members"]?.arrayValue ?? [] {
            members.add([
                .init(text(member["address"])), isUp(member), .init(text(member["version"])),
                .init(member["bytes"]?.intValue.map(String.init) ?? ""),
                .init(member["leader"]?.boolValue == true ? "yes" : ""),
            ])
        }
        return [owner(answer), ""] + nodes.lines(ifEmpty: "etcd does not answer") + [""]
            + members.lines(ifEmpty: "no members")
    }

    private static func owner(_ answer: JSONValue) -> String {
        let here = "this is node \(text(answer["node"])) of '\(text(answer["prefix"]))'"
        guard let owner = answer["owner"]?.stringValue else {
            return "no node is known to own the queue; \(here)"
        }
        return "\(owner) owns the queue, with term \(answer["term"]?.intValue ?? 0); \(here)"
    }

    private static func isUp(_ item: JSONValue) -> TextTable.Cell {
        item["up"]?.boolValue == true ? .init("yes", .good) : .init("no", .bad)
    }

    private static func text(_ value: JSONValue?, else other: String = "") -> String {
        value?.stringValue ?? other
    }
}

internal import StrictJSON

extension VerifyReport {
    /// The report as one JSON object on one line.
    public var jsonText: String {
        var writer = JSONWriter()
        writer.beginObject()
        writer.name("empty")
        writer.bool(isEmpty)
        writer.name("events")
        writer.integer(events)
        writer.name("files")
        writer.integer(files)
        writer.name("findings")
        writer.beginArray()
        for finding in findings {
            writer.element()
            writer.beginObject()
            writer.name("detail")
            writer.string(finding.detail)
            writer.name("file")
            writer.string(finding.file)
            writer.name("severity")
            writer.string(finding.severity.rawValue)
            writer.endObject()
        }
        writer.endArray()
        if let first, let last {
            writer.name("first")
            writer.integer(first)
            writer.name("last")
            writer.integer(last)
        }
        writer.name("lines")
        writer.integer(lines)
        writer.name("ok")
        writer.bool(exitCode == 0)
        writer.name("snapshots")
        writer.integer(snapshots)
        if let store {
            writer.name("store")
            writer.string(store)
        }
        writer.endObject()
        return String(decoding: writer.bytes, as: UTF8.self)
    }
}

/// The formats of the daemon's input files, with the names of their schemas.
enum FileFormat: String, CaseIterable {
    case config
    case catalog

    /// The installed schema file.
    var schemaFile: String {
        switch self {
        case .config: "payqueued.schema.json"
        case .catalog: "payqueued-catalog.schema.json"
        }
    }

    /// The name of the manual page, in section 5.
    var manualName: String {
        switch self {
        case .config: "payqueued.json"
        case .catalog: "payqueued-catalog"
        }
    }

    /// The file of the documentation page.
    var pageFile: String {
        switch self {
        case .config: "Configuration.md"
        case .catalog: "Catalogue.md"
        }
    }

    /// The manual page.
    func manual(_ reference: SchemaReference) -> ReferenceManual {
        let schema = ProgramFacts.Term(
            "/usr/share/payqueued/schemas/\(schemaFile)", "JSON Schema of the file, for editors.")
        switch self {
        case .config:
            return ReferenceManual(
                reference: reference, name: manualName,
                summary: "configuration of the payment queue daemon",
                files: [
                    ProgramFacts.Term("/etc/payqueued/payqueued.json", "The daemon of the system."),
                    ProgramFacts.Term(
                        "/usr/share/doc/payqueued/examples/payqueued.json", "An example."),
                    schema,
                ], related: [("payqueued", 8), ("payqueued-catalog", 5)])
        case .catalog:
            return ReferenceManual(
                reference: reference, name: manualName,
                summary: "products and accounts of a sandbox store",
                files: [
                    ProgramFacts.Term(
                        "/usr/share/doc/payqueued/examples/catalog.json", "An example."),
                    schema,
                ], related: [("payqueued", 8), ("payqueue-store", 8), ("payqueued.json", 5)])
        }
    }

    /// The page of the documentation.
    func page(_ reference: SchemaReference) -> ReferencePage {
        let editors = """
            Editors that know JSON Schema complete and check the file, with the member `$schema` or by a \
            setting of the editor. The schema is `/usr/share/payqueued/schemas/\(schemaFile)`, and \
            `payqueued --print-schema \(rawValue)` prints it.
            """
        switch self {
        case .config:
            return ReferencePage(
                reference: reference, title: "Configuration reference",
                summary: "Every key of `payqueued.json`: what it means and what it takes.",
                notes: [
                    editors,
                    """
                    The manual page is `payqueued.json(5)`. [Operating the daemon](Operating.md) \
                    describes how to start, reload and watch it.
                    """,
                ])
        case .catalog:
            return ReferencePage(
                reference: reference, title: "Catalogue reference",
                summary: "Every member of the file with products and accounts of a sandbox store.",
                notes: [editors, "The manual page is `payqueued-catalog(5)`."])
        }
    }
}

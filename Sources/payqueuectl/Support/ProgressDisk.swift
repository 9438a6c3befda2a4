import PaymentStorage

/// The progress of long reads of a directory.
enum ProgressDisk {
    /// A directory whose reads a progress line counts.
    static func watch(_ disk: any Disk, line: ProgressLine) -> ObservedDisk {
        ObservedDisk(disk) { path, end, _ in line.read(path, upTo: end) }
    }

    /// The number of bytes in the files of a directory and of its journal subdirectories.
    static func totalBytes(_ disk: any Disk, below parts: [String] = ["sandbox"]) -> Int {
        let names = (try? disk.list()) ?? []
        let files = names.reduce(0) { sum, name in
            // The work itself reports unreadable files.
            sum + ((try? disk.open(name, .read).length()) ?? 0)
        }
        return parts.filter(names.contains).reduce(files) { sum, part in
            sum
                + ((try? disk.directory(part, create: false)).map { totalBytes($0, below: []) } ?? 0)
        }
    }
}

import Glibc

/// An input of a command: a file, standard input, or a server.
enum Source {
    /// The bytes of a file or a URL.
    static func bytes(of place: String, limit: Int, timeout: Duration) async throws -> [UInt8] {
        guard place.hasPrefix("https://") || place.hasPrefix("http://") else {
            return try bytes(ofFile: place, limit: limit)
        }
        let answer = try await WebPage.fetch(place, limit: limit, timeout: timeout)
        guard answer.status == 200 else {
            throw CommandFailure(
                .refused,
                "cannot fetch '\(place)': the server answered with status \(answer.status)",
                advice: "check the address")
        }
        return answer.body
    }

    /// The bytes of a file; `-` is standard input.
    static func bytes(ofFile path: String, limit: Int) throws -> [UInt8] {
        let descriptor = path == "-" ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else {
            throw CommandFailure(
                .usage, "cannot read '\(path)': \(SystemWords.of(errno))",
                advice: "check the path, and who may read the file")
        }
        defer { if descriptor != STDIN_FILENO { close(descriptor) } }
        guard let bytes = bytes(ofDescriptor: descriptor, limit: limit) else {
            throw CommandFailure(
                .usage, "cannot read '\(path)': \(SystemWords.of(errno))",
                advice: "check that it is a file, and who may read it")
        }
        guard bytes.count <= limit else {
            throw CommandFailure(
                .usage, "cannot read '\(path)': it is longer than \(limit) bytes",
                advice: "check the path")
        }
        return bytes
    }

    /// The bytes up to the end, or more than `limit` if there are more. Nil with `errno` set if
    /// they cannot be read.
    static func bytes(ofDescriptor descriptor: Int32, limit: Int) -> [UInt8]? {
        var bytes: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 1 << 16)
        while bytes.count <= limit {
            let count = read(descriptor, &piece, piece.count)
            if count == 0 { break }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return nil }
            bytes += piece[..<count]
        }
        return bytes
    }
}

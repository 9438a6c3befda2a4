import AsyncHTTPClient
import FoundationEssentials
import Glibc
import NIOCore
import NIOHTTP1

/// Where a command reads something from: a file, standard input, or a server.
enum Source {
    /// What a server answered.
    struct Answer {
        var status: UInt
        var body: [UInt8]
        /// The address of the next page, as the header `Link` (RFC 8288) names it.
        var next: String?
    }

    /// The bytes of a file, or of what stands at an address.
    static func bytes(of place: String, limit: Int, timeout: Duration) async throws -> [UInt8] {
        guard place.hasPrefix("https://") || place.hasPrefix("http://") else {
            return try bytes(ofFile: place, limit: limit)
        }
        let answer = try await answer(of: place, limit: limit, timeout: timeout)
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
                advice: "check that it is the file that is meant")
        }
        return bytes
    }

    /// The bytes up to the end, or more than `limit` if there are more; nil, and `errno` is set, if they
    /// cannot be read.
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

    /// The address of the next page; nil if there is none, or if it is another server's, which must
    /// not get the token of this one.
    private static func next(of links: [String], from address: String) -> String? {
        let targets = links.compactMap { link in
            link.wholeMatch(of: #/\s*<([^<>]*)>\s*;\s*rel="?next"?\s*/#).map { String($0.1) }
        }
        guard let target = targets.first, let base = URL(string: address),
            let next = URL(string: target, relativeTo: base)?.absoluteURL,
            (next.scheme, next.host(), next.port) == (base.scheme, base.host(), base.port)
        else { return nil }
        return next.absoluteString
    }

    /// Fetches what stands at an address. Redirections are not followed: a token is for one server.
    static func answer(
        of address: String, headers: [(String, String)] = [], limit: Int, timeout: Duration
    ) async throws -> Answer {
        var configuration = HTTPClient.Configuration()
        configuration.redirectConfiguration = .disallow
        let client = HTTPClient(configuration: configuration)
        do {
            var request = HTTPClientRequest(url: address)
            for (name, value) in headers { request.headers.add(name: name, value: value) }
            let response = try await client.execute(request, timeout: TimeAmount(timeout))
            let body = try await response.body.collect(upTo: limit)
            try await client.shutdown()
            return Answer(
                status: response.status.code, body: Array(buffer: body),
                next: next(of: response.headers["link"], from: address))
        } catch {
            try? await client.shutdown()
            throw CommandFailure(
                .noConnection, "cannot fetch '\(address)': \(NetworkReason.phrase(error))",
                advice: "check the address, and that the server runs")
        }
    }
}

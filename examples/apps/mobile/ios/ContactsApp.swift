// Not run by the tests, which have no Xcode: app/contacts-app.js is the same and is.
import AuthenticationServices

struct ConnectSession: Decodable {
    let id: String
    let url: URL
}

enum ConnectFault: Error { case otherSession, refused(String), closed }

@MainActor
final class Connecting: NSObject, ASWebAuthenticationPresentationContextProviding {
    private let gatewayURL: URL
    private let backendURL: URL
    /// Asks your backend's /token, with the application's own session.
    private let userToken: () async throws -> String

    init(gatewayURL: URL, backendURL: URL, userToken: @escaping () async throws -> String) {
        self.gatewayURL = gatewayURL
        self.backendURL = backendURL
        self.userToken = userToken
    }

    func connect(provider: String) async throws {
        let returnURL = backendURL.appending(path: "connected").absoluteString
        let data = try await post("v1/connect-sessions", ["provider": provider, "returnUrl": returnURL])
        let session = try JSONDecoder().decode(ConnectSession.self, from: data)
        let link = try await openBrowser(session.url)
        let items = URLComponents(url: link, resolvingAgainstBaseURL: false)?.queryItems ?? []
        let outcome = Dictionary(items.map { ($0.name, $0.value ?? "") }, uniquingKeysWith: { first, _ in first })
        // A link that another application sends belongs to no session of this one.
        guard outcome["connect_session"] == session.id else { throw ConnectFault.otherSession }
        if let fault = outcome["error"] { throw ConnectFault.refused(fault) }
        // Only with the user's own token: the code alone connects nothing.
        let code = ["completionCode": outcome["completion_code"] ?? ""]
        _ = try await post("v1/connect-sessions/\(session.id)/complete", code)
    }

    /// The system's own sheet, which shares the user's sign-ins with Safari. Never a web view of yours.
    private func openBrowser(_ url: URL) async throws -> URL {
        try await withCheckedThrowingContinuation { continuation in
            let browser = ASWebAuthenticationSession(url: url, callbackURLScheme: "com.example.contacts") { link, error in
                if let link { continuation.resume(returning: link) }
                else { continuation.resume(throwing: error ?? ConnectFault.closed) }
            }
            browser.presentationContextProvider = self
            browser.start()
        }
    }

    private func post(_ path: String, _ body: [String: String]) async throws -> Data {
        var request = URLRequest(url: gatewayURL.appending(path: path))
        request.httpMethod = "POST"
        request.setValue("application/json", forHTTPHeaderField: "Content-Type")
        request.setValue("Bearer \(try await userToken())", forHTTPHeaderField: "Authorization")
        request.httpBody = try JSONEncoder().encode(body)
        let (data, response) = try await URLSession.shared.data(for: request)
        guard let answer = response as? HTTPURLResponse, (200..<300).contains(answer.statusCode) else {
            throw URLError(.badServerResponse)
        }
        return data
    }

    func presentationAnchor(for session: ASWebAuthenticationSession) -> ASPresentationAnchor { ASPresentationAnchor() }
}

/**
 * Talks to the Integration Gateway from the browser: connect sessions, connections, and the proxy.
 * Every call carries the user's token, which the app's own backend signs (see user-token.ts).
 */

const POPUP_FEATURES = 'popup,width=520,height=760';
const POPUP_POLL_MS = 500;
const TOKEN_RENEWAL_MS = 30_000;

/** Something that did not work. `code` is stable, the message is for people. */
export class GatewayError extends Error {
  constructor(code, message) {
    super(message);
    this.code = code;
  }
}

export function createGateway({ gatewayUrl, projectId, provider, fetchUserToken }) {
  const gatewayOrigin = new URL(gatewayUrl).origin;
  let current = { token: '', expiresAt: 0 };

  async function userToken() {
    if (current.expiresAt - Date.now() < TOKEN_RENEWAL_MS) {
      const { token, expiresAt } = await fetchUserToken();
      current = { token, expiresAt: Date.parse(expiresAt) };
    }
    return current.token;
  }

  async function call(path, { headers = {}, json, ...init } = {}) {
    const authorization = `Bearer ${await userToken()}`;
    const body = json === undefined ? {} : { body: JSON.stringify(json) };
    const response = await fetch(`${gatewayUrl}${path}`, {
      ...init,
      ...body,
      headers: {
        authorization,
        ...(json === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
    });
    if (!response.ok) throw await toError(response);
    return response.status === 204 ? undefined : response.json();
  }

  const startSession = (options) =>
    call('/v1/connect-sessions', { method: 'POST', json: { provider, ...options } });

  // Only the user who began may end it: the code from the window and the token of that same user.
  const complete = (sessionId, completionCode) =>
    call(`/v1/connect-sessions/${encodeURIComponent(sessionId)}/complete`, {
      method: 'POST',
      json: { completionCode },
    });

  return {
    listConnections: async () => {
      const { connections } = await call('/v1/connections');
      return connections.filter(({ serviceProvider }) => serviceProvider === provider);
    },

    disconnect: (connectionId) =>
      call(`/v1/connections/${encodeURIComponent(connectionId)}`, { method: 'DELETE' }),

    /** Lets the user authorize in a window. Call it straight from a click, or the browser blocks the window. */
    connect: async (options = {}) => {
      const popup = window.open('', 'integration-gateway-connect', POPUP_FEATURES);
      if (!popup) throw new GatewayError('popup_blocked', 'The browser blocked the window.');
      try {
        const session = await startSession(options);
        popup.location.href = session.url;
        const completionCode = await waitForCompletionCode(popup, session.id, gatewayOrigin);
        return await complete(session.id, completionCode);
      } finally {
        popup.close();
      }
    },

    /** The same without a window: leaves the page, and `finishRedirect` goes on when the user is back. */
    connectByRedirect: async (options = {}) => {
      const session = await startSession({ ...options, returnUrl: `${location.origin}${location.pathname}` });
      sessionStorage.setItem('connect-session', session.id);
      location.assign(session.url);
    },

    /** Gives the connection if the page was opened by the end of a redirect, undefined otherwise. */
    finishRedirect: async () => {
      const result = new URLSearchParams(location.hash.slice(1));
      const sessionId = result.get('connect_session');
      if (sessionId === null) return undefined;
      // The code works once, but it has no business in the address bar or the history.
      history.replaceState(null, '', location.pathname);
      // A link that somebody else prepared ends here: this tab has begun no such session.
      if (sessionId !== sessionStorage.getItem('connect-session')) return undefined;
      sessionStorage.removeItem('connect-session');
      const error = result.get('error');
      if (error !== null) throw new GatewayError(error, '');
      return complete(sessionId, result.get('completion_code') ?? '');
    },

    /** A call of the provider's own API, on the user's connection. `path` is the provider's path. */
    callProvider: (connectionId, path, init = {}) =>
      call(`/projects/${projectId}/proxy/${provider}${path}`, {
        ...init,
        headers: { 'gateway-connection': connectionId },
      }),
  };
}

function waitForCompletionCode(popup, sessionId, gatewayOrigin) {
  return new Promise((resolve, reject) => {
    const listening = new AbortController();
    const settle = (act, value) => {
      listening.abort();
      clearInterval(poll);
      act(value);
    };
    const poll = setInterval(() => {
      if (!popup.closed) return;
      clearInterval(poll);
      // The window may have closed itself right after its message, which then is still on its way.
      setTimeout(() => settle(reject, new GatewayError('popup_closed', '')), POPUP_POLL_MS);
    }, POPUP_POLL_MS);

    const onMessage = ({ origin, source, data }) => {
      // Any window may send a message: believe the gateway's alone, from the window opened here, about this session.
      if (origin !== gatewayOrigin || source !== popup) return;
      if (data?.type !== 'integration-gateway:connect' || data.sessionId !== sessionId) return;
      if (data.status === 'success') settle(resolve, data.completionCode);
      else settle(reject, new GatewayError(data.error ?? 'provider_error', ''));
    };
    window.addEventListener('message', onMessage, { signal: listening.signal });
  });
}

/** The gateway's own errors are problem details (RFC 9457), marked by a header; all others are the provider's. */
async function toError(response) {
  const body = await response.json().catch(() => ({}));
  const code = response.headers.get('gateway-error') ?? body.code ?? 'provider_answer';
  return new GatewayError(code, body.detail ?? body.message ?? `The answer was ${response.status}.`);
}

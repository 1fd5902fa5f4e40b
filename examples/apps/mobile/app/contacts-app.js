// What the application on the phone does; ContactsApp.swift and ContactsApp.kt are the same. `openBrowser` opens the system's
// browser with an address, and brings the link of the application's own scheme that it ends on.

const CONTACTS = '/crm/v3/objects/contacts';

export async function createContactsApp({ backendUrl, user, openBrowser }) {
  const headers = { 'content-type': 'application/json' };
  const signedIn = await send(`${backendUrl}/sign-in`, {
    method: 'POST',
    headers,
    body: JSON.stringify({ user }),
  });
  const { session, gatewayUrl, projectId, provider } = await signedIn.json();
  const own = { authorization: `Bearer ${session}` };

  /** A token that the gateway knows the user by. */
  const getToken = async () => (await send(`${backendUrl}/token`, { method: 'POST', headers: own })).text();

  async function call(address, method = 'GET', body = undefined) {
    const authorization = `Bearer ${await getToken()}`;
    const sent = { method, headers: { ...headers, authorization }, body: body && JSON.stringify(body) };
    return (await send(`${gatewayUrl}${address}`, sent)).json();
  }

  return {
    async connect() {
      const returnUrl = `${backendUrl}/connected`;
      const begun = await call('/v1/connect-sessions', 'POST', { provider, returnUrl });
      const link = new URL(await openBrowser(begun.url));
      const outcome = link.searchParams;
      // A link that another application or page sends belongs to no session of this one (RFC 8252 section 8.9).
      if (outcome.get('connect_session') !== begun.id) throw new Error('not the session that was begun');
      if (outcome.has('error')) throw new Error(outcome.get('error'));
      // Only with the user's own token: the code alone, if another application took the link, connects nothing.
      const completionCode = outcome.get('completion_code');
      return call(`/v1/connect-sessions/${begun.id}/complete`, 'POST', { completionCode });
    },
    connections: async () => (await call('/v1/connections')).connections,
    contacts: async () => {
      const query = '?limit=10&properties=email';
      return (await call(`/projects/${projectId}/proxy/${provider}${CONTACTS}${query}`)).results;
    },
    create: (email) =>
      call(`/projects/${projectId}/proxy/${provider}${CONTACTS}`, 'POST', { properties: { email } }),
    disconnect: async (id) => {
      const authorization = `Bearer ${await getToken()}`;
      await send(`${gatewayUrl}/v1/connections/${id}`, { method: 'DELETE', headers: { authorization } });
    },
    events: async () => (await send(`${backendUrl}/received`, { headers: own })).json(),
  };
}

async function send(address, init) {
  const response = await fetch(address, init);
  if (response.ok) return response;
  throw new Error(`${init.method ?? 'GET'} ${new URL(address).pathname} was answered ${response.status}`);
}

const CONTACTS = '/crm/v3/objects/contacts';
const element = (id) => document.getElementById(id);

const { user, gatewayUrl, projectId, provider } = await (await fetch('/session')).json();
element(user ? 'account' : 'sign-in').hidden = false;
if (user) await start();

async function start() {
  element('user').textContent = user.name;
  // The gateway serves the SDK that fits it.
  const { createGateway } = await import(`${gatewayUrl}/sdk/connect.js`);
  const gateway = createGateway({
    url: gatewayUrl,
    projectId,
    // Asked again whenever the token has run out.
    token: async () => (await fetch('/token', { method: 'POST' })).text(),
    returnUrl: `${location.origin}/`,
  });
  gateway.subscribe(() => refresh());
  element('connect').addEventListener('click', () => attempt(() => gateway.connect(provider)));
  element('disconnect').addEventListener('click', () => attempt(disconnect));
  element('create').addEventListener('submit', (event) => {
    event.preventDefault();
    attempt(() => create(event.target));
  });
  setInterval(showEvents, 2000);
  await Promise.all([attempt(() => gateway.completeRedirect()), showEvents()]);

  /** Does it, and shows what there is then; a refusal stands in the status line. */
  async function attempt(work) {
    try {
      await work();
      await refresh();
    } catch (error) {
      element('status').textContent = error.message;
    }
  }

  async function refresh() {
    const [connection] = await gateway.connections({ serviceProvider: provider });
    element('status').textContent = connection ? `Connected to ${connection.accountName}` : 'Not connected';
    element('connect').hidden = connection !== undefined;
    for (const id of ['disconnect', 'connected']) element(id).hidden = connection === undefined;
    if (connection) await showContacts();
  }

  async function disconnect() {
    for (const { id } of await gateway.connections({ serviceProvider: provider }))
      await gateway.disconnect(id);
  }

  async function showContacts() {
    const { results } = await call(`${CONTACTS}?limit=10&properties=email`);
    list(
      'contacts',
      results.map(({ properties }) => properties.email),
    );
  }

  async function create(form) {
    const properties = Object.fromEntries(new FormData(form));
    const headers = { 'content-type': 'application/json' };
    await call(CONTACTS, { method: 'POST', headers, body: JSON.stringify({ properties }) });
    form.reset();
  }

  /** The provider's own API; the gateway adds the credential. */
  async function call(path, init) {
    const response = await gateway.fetch(provider, path, init);
    if (!response.ok) throw new Error(`The CRM answered ${response.status}`);
    return response.json();
  }
}

/** What the gateway has sent to this application for the user. */
async function showEvents() {
  const events = await (await fetch('/received')).json();
  list(
    'events',
    events.map(({ type, object }) => `${type} ${object?.id ?? ''}`),
  );
}

function list(id, texts) {
  const items = texts.map((text) => Object.assign(document.createElement('li'), { textContent: text }));
  element(id).replaceChildren(...items);
}

// The whole browser side of the application: the SDK connects accounts and calls the CRM, the rest is the page.

import { listenToChanges } from './changes.js';

const PAGE_SIZE = 20;
const CONTACTS = '/crm/v3/objects/contacts';
const PROPERTIES = 'firstname,lastname,email,company,jobtitle';
const JOB_TITLES = ['Buyer', 'Engineer', 'Founder', 'Office Manager', 'Product Manager', 'Sales Director'];

/** What to say to people; the keys are the SDK's stable codes. */
const ERROR_MESSAGES = {
  access_denied: 'You did not allow the connection, so nothing was connected.',
  account_mismatch:
    'That was a different account. Sign in with the one that is already connected, or disconnect it first.',
  missing_scopes: 'Something that this app needs was not allowed. Please try again and allow all of it.',
  network_error: 'The network seems to be down. Please try again.',
  popup_blocked: 'The browser blocked the window. Allow popups for this page, or connect without a popup.',
  popup_closed: 'The window was closed before the account was connected.',
  provider_error: 'The CRM could not complete the connection. Please try again.',
  reauthorization_required: 'The CRM no longer accepts this connection. Please re-authorize it.',
  session_expired: 'That took too long. Please start again.',
};

const element = (id) => document.getElementById(id);
const show = (id, visible) => {
  element(id).hidden = !visible;
};

let gateway;
let provider;
/** The account on the screen; a user may have connected several. */
let connection;
/** Where each page that was visited begins; the last one is on the screen. */
let pageStarts = [''];
let nextStart;

async function start() {
  const settings = await (await fetchOwn('/settings')).json();
  element('user').textContent = `Signed in as ${settings.user.name}`;
  provider = settings.provider;
  if (settings.hasAgent) element('agent-page').href = '/agent';
  show('pages', settings.hasAgent);

  // With an address that you know beforehand: import { createGateway } from 'https://gateway.example.com/sdk/connect.js'
  const { createGateway } = await import(`${settings.gatewayUrl}/sdk/connect.js`);
  gateway = createGateway({
    url: settings.gatewayUrl,
    projectId: settings.projectId,
    // Asked again whenever a token has run out. Your backend signs for the user who is signed in.
    token: async () => (await fetchOwn('/token')).text(),
    // Where a user comes back to who had to leave the page. This page is it.
    returnUrl: `${location.origin}/`,
  });
  // Whatever changes, here or in another tab, is on the screen at once.
  gateway.subscribe(({ type, connectionId }) =>
    attempt(() => refresh(type === 'connection.deleted' ? undefined : connectionId)),
  );
  attempt(showProvider);
  if (settings.showsChanges) showChanges(settings.providerUrl);
  const came = await attempt(() => gateway.completeRedirect());
  if (came) say('Connected.');
  await refresh(came?.id);
}

/** Name and logo of the provider, as the gateway's catalog has them. */
async function showProvider() {
  const integrations = await gateway.integrations();
  const { name, logoUrl } = integrations.find(({ serviceProvider }) => serviceProvider === provider);
  element('provider').textContent = name;
  element('logo').src = logoUrl;
  show('logo', true);
}

/** A call of the app's own backend. */
async function fetchOwn(path) {
  const response = await fetch(path);
  if (response.status === 401) location.assign('/sign-in');
  if (!response.ok) throw new Error(`The answer was ${response.status}.`);
  return response;
}

/** A call of the CRM's own API, on the user's connection. Its errors are the CRM's, in the CRM's words. */
async function fetchCrm(path, init) {
  const response = await gateway.fetch(provider, path, { ...init, connectionId: connection.id });
  const body = await response.json();
  if (!response.ok) throw new Error(body.message);
  return body;
}

/** Brings the page in line with what the gateway knows about this user. */
async function refresh(chosenId = connection?.id) {
  const connections = await gateway.connections({ serviceProvider: provider });
  connection = connections.find(({ id }) => id === chosenId) ?? connections[0];
  const isConnected = connection !== undefined;
  const needsUser = connection?.status === 'reauthorization_required';
  element('account').textContent = describeConnection();
  element('accounts').replaceChildren(
    ...connections.map((one) => new Option(nameOf(one), one.id, false, one === connection)),
  );
  show('choice', connections.length > 1);
  for (const id of ['connect', 'connect-redirect']) show(id, !isConnected);
  for (const id of ['connect-another', 'reauthorize', 'disconnect']) show(id, isConnected);
  show('connected', isConnected && !needsUser);
  if (isConnected && !needsUser) await loadContacts(['']);
}

/** What changes in the CRM, shown as the app's backend learns it from the gateway. */
function showChanges(providerUrl) {
  show('changes', true);
  if (providerUrl) {
    element('provider-page').href = providerUrl;
    show('provider-page', true);
  }
  listenToChanges({
    connectionId: () => connection?.id,
    readContacts: async (ids) => {
      const inputs = ids.map((id) => ({ id }));
      const { results } = await fetchCrm(`${CONTACTS}/batch/read`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ inputs, properties: PROPERTIES.split(',') }),
      });
      return results;
    },
    onContact: showContact,
    onDeleted: (id) => rowOf(id)?.classList.add('deleted'),
    nameOnPage: (id) => rowOf(id)?.cells[0].textContent,
  });
}

function rowOf(id) {
  return element('contacts').tBodies[0].querySelector(`tr[data-id="${CSS.escape(id)}"]`);
}

/** Brings the contact's row up to date; a new contact gets one at the top. */
function showContact(contact, change) {
  const row = toRow(contact);
  row.classList.add('changed');
  const old = rowOf(contact.id);
  if (old) old.replaceWith(row);
  else if (change === 'created') element('contacts').tBodies[0].prepend(row);
}

function nameOf({ accountName, accountId }) {
  return accountName ?? accountId ?? 'your account';
}

function describeConnection() {
  if (!connection) return 'No account is connected yet.';
  const name = nameOf(connection);
  if (connection.status === 'reauthorization_required') return `${name} has to be re-authorized.`;
  return `Connected to ${name}`;
}

async function loadContacts(starts) {
  const after = starts.at(-1);
  const query = new URLSearchParams({ limit: PAGE_SIZE, properties: PROPERTIES, ...(after && { after }) });
  element('contacts').setAttribute('aria-busy', 'true');
  try {
    const page = await fetchCrm(`${CONTACTS}?${query}`);
    pageStarts = starts;
    nextStart = page.paging?.next?.after;
    element('contacts').tBodies[0].replaceChildren(...page.results.map(toRow));
    element('previous').disabled = pageStarts.length === 1;
    element('next').disabled = nextStart === undefined;
  } finally {
    element('contacts').setAttribute('aria-busy', 'false');
  }
}

/** Text goes in as text, so that a contact's name cannot be markup. */
function toRow({ id, properties }) {
  const { firstname, lastname, email, company, jobtitle } = properties;
  const row = document.createElement('tr');
  row.dataset.id = id;
  for (const text of [[firstname, lastname].filter(Boolean).join(' '), email, company, jobtitle]) {
    row.insertCell().textContent = text ?? '';
  }
  return row;
}

async function createContact(form) {
  const properties = Object.fromEntries([...new FormData(form)].filter(([, value]) => value !== ''));
  const created = await fetchCrm(CONTACTS, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ properties }),
  });
  // Its event may have been faster.
  if (!rowOf(created.id)) element('contacts').tBodies[0].prepend(toRow(created));
  form.reset();
  say(`${properties.firstname} ${properties.lastname} was created in your CRM.`);
}

/** Only the CRM is told. The row on this page changes when the event of the change arrives. */
async function changeContact() {
  const rows = [...element('contacts').tBodies[0].rows].filter((row) => !row.classList.contains('deleted'));
  const row = rows[Math.floor(Math.random() * rows.length)];
  if (row === undefined) return say('There is no contact on this page yet that could be changed.', true);
  const [name, , , jobTitle] = [...row.cells].map((cell) => cell.textContent);
  const others = JOB_TITLES.filter((title) => title !== jobTitle);
  const jobtitle = others[Math.floor(Math.random() * others.length)];
  await fetchCrm(`${CONTACTS}/${row.dataset.id}`, {
    method: 'PATCH',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ properties: { jobtitle } }),
  });
  say(`The CRM now has ${name} as ${jobtitle}.`);
}

function say(text, isError = false) {
  const message = element('message');
  message.textContent = text;
  message.classList.toggle('error', isError);
  message.hidden = text === '';
}

/** Runs what was asked for; whatever goes wrong becomes a message instead of silence. */
async function attempt(action) {
  try {
    return await action();
  } catch (error) {
    const known = ERROR_MESSAGES[error.reason] ?? ERROR_MESSAGES[error.code];
    say(known ?? `That did not work. ${error.message}`, true);
    if (error.code === 'reauthorization_required') show('connected', false);
    return undefined;
  }
}

const onClick = (id, action) =>
  element(id).addEventListener('click', () => {
    say('');
    attempt(action);
  });

// The SDK opens its window before anything else happens in these calls: browsers allow that in a click only.
onClick('connect', async () => {
  await gateway.connect(provider);
  say('Connected.');
});
onClick('connect-redirect', () => gateway.connect(provider, { mode: 'redirect' }));
onClick('connect-another', async () => {
  await gateway.connect(provider, { allowMultiple: true });
  say('Connected.');
});
onClick('reauthorize', async () => {
  await gateway.reauthorize(connection.id);
  say('Re-authorized.');
});
onClick('disconnect', async () => {
  await gateway.disconnect(connection.id);
  say('Disconnected. The gateway no longer holds credentials for this account.');
});
onClick('change', changeContact);
onClick('next', () => loadContacts([...pageStarts, nextStart]));
onClick('previous', () => loadContacts(pageStarts.slice(0, -1)));
element('accounts').addEventListener('change', ({ target }) => attempt(() => refresh(target.value)));
element('create').addEventListener('submit', (event) => {
  event.preventDefault();
  attempt(() => createContact(event.target));
});

start().catch((error) => {
  element('account').textContent = 'The account could not be looked up.';
  say(`That did not work. ${error.message}`, true);
});

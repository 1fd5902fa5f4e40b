import { createGateway } from './gateway.js';

const PAGE_SIZE = 20;
const PROPERTIES = 'firstname,lastname,email,company,jobtitle';

const ERROR_MESSAGES = {
  access_denied: 'You did not allow the connection, so nothing was connected.',
  account_mismatch:
    'That was a different account. Sign in with the one that is already connected, or disconnect it first.',
  missing_scopes: 'Something that this app needs was not allowed. Please try again and allow all of it.',
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
/** The account on the screen; a user may have connected several. */
let connection;
/** Where each page that was visited begins; the last one is on the screen. */
let pageStarts = [''];
let nextStart;

async function start() {
  const settings = await fetchOwn('/settings');
  element('user').textContent = `Signed in as ${settings.user.name}`;
  gateway = createGateway({ ...settings, fetchUserToken: () => fetchOwn('/token') });
  const finished = await attempt(() => gateway.finishRedirect());
  if (finished) say('Connected.');
  await refresh();
}

async function fetchOwn(path) {
  const response = await fetch(path);
  if (response.status === 401) location.assign('/sign-in');
  if (!response.ok) throw new Error(`The answer was ${response.status}.`);
  return response.json();
}

/** Brings the page in line with what the gateway knows about this user. */
async function refresh(chosenId = connection?.id) {
  const connections = await gateway.listConnections();
  connection = connections.find(({ id }) => id === chosenId) ?? connections[0];
  showAccounts(connections);
  const needsUser = connection?.status === 'reauthorization_required';
  element('account').textContent = describeConnection();
  show('connect', !connection);
  show('connect-redirect', !connection);
  show('connect-another', Boolean(connection));
  show('reauthorize', Boolean(connection));
  show('disconnect', Boolean(connection));
  show('connected', Boolean(connection) && !needsUser);
  if (connection && !needsUser) await loadContacts(['']);
}

function showAccounts(connections) {
  element('accounts').replaceChildren(
    ...connections.map((one) => new Option(nameOf(one), one.id, false, one === connection)),
  );
  show('choice', connections.length > 1);
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
  const query = new URLSearchParams({
    limit: PAGE_SIZE,
    properties: PROPERTIES,
    ...(after ? { after } : {}),
  });
  element('contacts').setAttribute('aria-busy', 'true');
  try {
    const page = await gateway.callProvider(connection.id, `/crm/v3/objects/contacts?${query}`);
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
function toRow({ properties }) {
  const { firstname, lastname, email, company, jobtitle } = properties;
  const row = document.createElement('tr');
  for (const text of [[firstname, lastname].filter(Boolean).join(' '), email, company, jobtitle]) {
    row.insertCell().textContent = text ?? '';
  }
  return row;
}

async function createContact(form) {
  const properties = Object.fromEntries([...new FormData(form)].filter(([, value]) => value !== ''));
  const created = await gateway.callProvider(connection.id, '/crm/v3/objects/contacts', {
    method: 'POST',
    json: { properties },
  });
  element('contacts').tBodies[0].prepend(toRow(created));
  form.reset();
  say(`${properties.firstname} ${properties.lastname} was created in your CRM.`);
}

function say(text, isError = false) {
  const message = element('message');
  message.textContent = text;
  message.classList.toggle('error', isError);
  message.hidden = text === '';
}

/** Runs what a click asked for; whatever goes wrong becomes a message instead of silence. */
async function attempt(action) {
  say('');
  try {
    return await action();
  } catch (error) {
    say(ERROR_MESSAGES[error.code] ?? `That did not work. ${error.message}`, true);
    if (error.code === 'reauthorization_required') show('connected', false);
    return undefined;
  }
}

const connectAndRefresh = async (options) => {
  const { id } = await gateway.connect(options);
  say(options?.connectionId ? 'Re-authorized.' : 'Connected.');
  await refresh(id);
};

const onClick = (id, action) => element(id).addEventListener('click', () => attempt(action));

onClick('connect', () => connectAndRefresh());
onClick('connect-redirect', () => gateway.connectByRedirect());
onClick('connect-another', () => connectAndRefresh({ allowMultiple: true }));
element('accounts').addEventListener('change', ({ target }) => attempt(() => refresh(target.value)));
onClick('reauthorize', () => connectAndRefresh({ connectionId: connection.id }));
onClick('disconnect', async () => {
  await gateway.disconnect(connection.id);
  await refresh();
  say('Disconnected. The gateway no longer holds credentials for this account.');
});
onClick('next', () => loadContacts([...pageStarts, nextStart]));
onClick('previous', () => loadContacts(pageStarts.slice(0, -1)));
element('create').addEventListener('submit', (event) => {
  event.preventDefault();
  attempt(() => createContact(event.target));
});

start().catch((error) => {
  element('account').textContent = 'The account could not be looked up.';
  say(`That did not work. ${error.message}`, true);
});

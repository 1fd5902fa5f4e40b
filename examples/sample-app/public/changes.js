// The list of changes: each event of the gateway, as the app's backend passes it on by server-sent events.

const SHOWN = 6;
/** Changes that come together are looked up together. */
const GATHER_MS = 40;

const list = document.getElementById('change-list');
const LABELS = { jobtitle: 'job title', firstname: 'first name', lastname: 'last name', email: 'e-mail' };

/**
 * Shows every change, and hands on the contacts that changed: `onContact(contact, change)` and `onDeleted(id)`.
 * `readContacts(ids)` brings contacts from the CRM, since an event by webhook
 * names its contact by the id alone; `nameOnPage(id)` is for those that the CRM no longer has.
 */
export function listenToChanges({ connectionId, readContacts, onContact, onDeleted, nameOnPage }) {
  let waiting = [];
  const source = new EventSource('/changes');
  const listening = document.getElementById('listening');
  source.addEventListener('open', () => {
    listening.textContent = 'listening';
    listening.classList.add('good');
  });
  source.addEventListener('error', () => {
    listening.textContent = 'connecting…';
    listening.classList.remove('good');
  });
  source.addEventListener('past', ({ data }) => add(JSON.parse(data), false));
  source.addEventListener('change', ({ data }) => add(JSON.parse(data), true));

  function add(event, isLive) {
    if (!event.object) return;
    document.getElementById('no-changes').hidden = true;
    const line = renderLine(event, isLive, nameOnPage(event.object.id));
    list.prepend(line);
    while (list.children.length > SHOWN) list.lastChild.remove();
    if (event.connectionId !== connectionId()) return;
    if (event.object.change === 'deleted') {
      if (isLive) onDeleted(event.object.id);
      return;
    }
    if (waiting.length === 0) setTimeout(lookUp, GATHER_MS);
    waiting.push({ event, line, isLive });
  }

  async function lookUp() {
    const changes = waiting;
    waiting = [];
    const ids = [...new Set(changes.map(({ event }) => event.object.id))].slice(-100);
    const contacts = await readContacts(ids).catch(() => []);
    for (const { event, line, isLive } of changes) {
      const contact = contacts.find(({ id }) => id === event.object.id);
      if (!contact) continue;
      line.querySelector('strong').textContent = nameOf(contact);
      if (isLive) onContact(contact, event.object.change);
    }
  }
}

/** One line: when, what, who, and how it came. Text goes in as text. */
function renderLine(event, isLive, knownName) {
  const { object, data, source } = event;
  const at = changedAt(event);
  const line = document.createElement('li');
  line.dataset.id = object.id;
  if (isLive) line.classList.add('changed');
  line.append(
    make('time', at.toLocaleTimeString()),
    make('span', object.change, `badge ${object.change}`),
    make('strong', data.properties ? nameOf(data) : (knownName ?? `Contact ${object.id}`)),
    make('span', describe(data), 'what'),
    make('span', isLive ? `by ${source} in ${elapsed(at)}` : `by ${source}`, 'quiet'),
  );
  return line;
}

/** A webhook says which property changed; a poll brings the contact as it is now. */
function describe({ propertyName, propertyValue }) {
  return propertyName ? `${LABELS[propertyName] ?? propertyName}: ${propertyValue || 'none'}` : '';
}

function nameOf({ id, properties: { firstname, lastname, email } }) {
  return [firstname, lastname].filter(Boolean).join(' ') || email || `Contact ${id}`;
}

function changedAt({ createdAt, data }) {
  return new Date(data.occurredAt ?? data.updatedAt ?? createdAt);
}

function elapsed(at) {
  const seconds = Math.max(0, Date.now() - at.getTime()) / 1000;
  return seconds < 10 ? `${seconds.toFixed(2)} s` : `${Math.round(seconds)} s`;
}

function make(name, text, className = '') {
  const made = document.createElement(name);
  made.textContent = text;
  made.className = className;
  return made;
}

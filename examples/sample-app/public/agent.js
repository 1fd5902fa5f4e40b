// The page of an agent at work: it shows what the agent calls and what it is answered, and has it go on.

const TEXT_LENGTH_MAX = 4_000;

const element = (id) => document.getElementById(id);
const show = (id, visible) => {
  element(id).hidden = !visible;
};

/** An element with a class and texts or elements in it. Text goes in as text. */
function make(name, className, ...content) {
  const made = document.createElement(name);
  if (className !== '') made.className = className;
  made.append(...content);
  return made;
}

function write(state) {
  element('user').textContent = `Signed in as ${state.user}`;
  element('steps').replaceChildren(...state.steps.map(describeStep));
  element('mandate').replaceChildren(...state.mandate.map((entry) => make('li', '', describeEntry(entry))));
  element('signed').textContent = JSON.stringify(state.mandate, null, 2);
  const isOver = state.phase === 'end';
  element('next-title').textContent = isOver ? 'That was all' : 'Your turn';
  element('hint').textContent = isOver
    ? 'Everything that the agent did is in the dashboard, with its name and the entry of the mandate that allowed it.'
    : state.hint;
  element('go').textContent = state.button ?? '';
  show('go', !isOver);
  show('restart', state.steps.length > 0);
  show('connect-way', state.connectUrl !== undefined);
  show('code-field', state.connectUrl !== undefined);
  if (state.connectUrl !== undefined) element('connect-page').href = state.connectUrl;
  show('approve-way', state.approvalId !== undefined);
  if (state.approvalId !== undefined)
    element('approve-page').href = `/approve?${new URLSearchParams({ approval: state.approvalId })}`;
}

function describeEntry({ provider, access, methods, paths, approval }) {
  const what = access === 'read' ? 'Read' : (methods ?? ['Write']).join(', ');
  const where = paths === undefined ? `everything at ${provider}` : `${paths.join(', ')} at ${provider}`;
  return `${what} ${where}${approval === undefined ? '' : ', if you approve each call'}`;
}

function describeStep({ say, call, answer }, index) {
  const item = make('li', '', make('h3', '', `${index + 1}. ${say}`));
  item.dataset.tool = call?.name ?? '';
  if (call === undefined || answer === undefined) return item;
  item.append(describeCall(call));
  const { tone, text } = describeOutcome(call.name, answer);
  item.append(make('span', `outcome ${tone}`, text));
  if (answer.content.detail !== undefined) item.append(make('p', 'quiet', answer.content.detail));
  const found = listFound(answer.content);
  if (found.length > 0) item.append(make('ul', 'found', ...found.map((line) => make('li', '', line))));
  item.append(
    make('details', '', make('summary', '', 'Call and answer'), pre(call.arguments), pre(answer.content)),
  );
  return item;
}

function describeCall({ name, arguments: given }) {
  const { method, path, query } = given;
  const target = `${path}${query === undefined ? '' : `?${query}`}`;
  const words = path === undefined ? (query ?? given.provider ?? '') : `${method ?? 'GET'} ${target}`;
  return make('p', 'call', make('code', 'tool', name), make('code', '', words));
}

function describeOutcome(tool, { isError, source, status, code, content }) {
  if (source === 'provider') return { tone: isError ? 'bad' : 'good', text: `The CRM answered ${status}` };
  if (tool === 'connect' && content.connectUrl) return { tone: 'waits', text: 'Waits for you to connect' };
  if (code === 'connection_needed') return { tone: 'waits', text: 'No account is connected' };
  if (code === 'approval_required') return { tone: 'waits', text: 'Waits for your approval' };
  if (code !== undefined) return { tone: 'bad', text: `Refused by the gateway: ${code}` };
  if (content.isConnected === true) return { tone: 'good', text: 'Connected' };
  return { tone: 'good', text: 'Answered by the gateway' };
}

/** A few lines of what an answer has: accounts, operations, contacts. */
function listFound({ connections, connectable, operations, body }) {
  const accounts = (connections ?? []).map(({ provider, account }) => `${provider}: ${account}`);
  const others = (connectable ?? []).map((provider) => `${provider}: could be connected`);
  const found = (operations ?? []).map(({ method, path, summary }) => `${method} ${path} – ${summary}`);
  const contacts = [...(body?.results ?? []), ...(body?.properties ? [body] : [])].map(nameContact);
  return [...accounts, ...others, ...found, ...contacts];
}

function nameContact({ id, properties }) {
  const { firstname, lastname, jobtitle } = properties ?? {};
  const name = [firstname, lastname].filter(Boolean).join(' ') || `Contact ${id}`;
  return jobtitle ? `${name}, ${jobtitle}` : name;
}

function pre(value) {
  const text = JSON.stringify(value, null, 2);
  return make('pre', '', text.length > TEXT_LENGTH_MAX ? `${text.slice(0, TEXT_LENGTH_MAX)}…` : text);
}

/** Has the server do something, and shows what there is then. */
async function attempt(path, body) {
  for (const id of ['go', 'restart']) element(id).disabled = true;
  show('message', false);
  try {
    const response = await fetch(path, {
      method: body === undefined ? 'GET' : 'POST',
      ...(body !== undefined && {
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      }),
    });
    if (response.status === 401) location.assign('/sign-in');
    const state = await response.json();
    if (!response.ok) throw new Error(state.error ?? `The answer was ${response.status}.`);
    write(state);
  } catch (error) {
    element('message').textContent = `That did not work. ${error.message}`;
    show('message', true);
  } finally {
    for (const id of ['go', 'restart']) element(id).disabled = false;
  }
}

element('go').addEventListener('click', async () => {
  await attempt('/agent/step', { code: element('code').value.trim() });
  element('code').value = '';
  element('next-title').scrollIntoView({ block: 'nearest' });
});
element('restart').addEventListener('click', () => attempt('/agent/restart', {}));
attempt('/agent/state');

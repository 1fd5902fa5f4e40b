/** Words of the card, by language; the host says which one its user reads. */
const TEXTS = {
  en: {
    title: 'Connect your account at {provider}',
    lead: 'You agree to it in your browser. The last page there shows a code, which you bring back here.',
    connect: 'Connect',
    again: 'Open the page again',
    code: 'Code of the last page',
    send: 'Finish',
    warning: 'Only enter a code that you have just copied from your own browser.',
    done: 'Your account at {provider} is connected.',
    message: 'I have connected my account at {provider}. Please go on.',
    refused: 'That did not work: the code is not of this connection, or is too old.',
    blocked: 'This application does not open pages. Open this address in your browser:',
    nothing: 'There is nothing to connect here.',
  },
  de: {
    title: 'Verbinden Sie Ihr Konto bei {provider}',
    lead: 'Sie stimmen in Ihrem Browser zu. Die letzte Seite dort zeigt einen Code, den Sie hier eintragen.',
    connect: 'Verbinden',
    again: 'Seite noch einmal öffnen',
    code: 'Code der letzten Seite',
    send: 'Abschließen',
    warning: 'Tragen Sie nur einen Code ein, den Sie gerade aus Ihrem eigenen Browser kopiert haben.',
    done: 'Ihr Konto bei {provider} ist verbunden.',
    message: 'Ich habe mein Konto bei {provider} verbunden. Bitte mach weiter.',
    refused: 'Das hat nicht geklappt: Der Code gehört nicht zu dieser Verbindung oder ist zu alt.',
    blocked: 'Diese Anwendung öffnet keine Seiten. Öffnen Sie diese Adresse in Ihrem Browser:',
    nothing: 'Hier gibt es nichts zu verbinden.',
  },
  es: {
    title: 'Conecte su cuenta de {provider}',
    lead: 'Usted lo acepta en su navegador. La última página muestra un código, que se introduce aquí.',
    connect: 'Conectar',
    again: 'Abrir la página de nuevo',
    code: 'Código de la última página',
    send: 'Terminar',
    warning: 'Introduzca solo un código que acabe de copiar de su propio navegador.',
    done: 'Su cuenta de {provider} está conectada.',
    message: 'He conectado mi cuenta de {provider}. Continúa, por favor.',
    refused: 'No ha funcionado: el código no es de esta conexión o es demasiado antiguo.',
    blocked: 'Esta aplicación no abre páginas. Abra esta dirección en su navegador:',
    nothing: 'Aquí no hay nada que conectar.',
  },
};

/**
 * What the card does, by the messages of MCP Apps (2026-01-26): it learns from the host what the tool `connect` answered, has
 * the host open the page, and calls the tool with the code, which so reaches no model. Every text goes in as text.
 */
export const CARD_SCRIPT = `
const TEXTS = ${JSON.stringify(TEXTS)};
const host = window.parent;
const waiting = new Map();
let sent = 0;
let words = TEXTS.en;
let wanted = { provider: '', url: '' };

const element = (id) => document.getElementById(id);
const say = (text) => text.replaceAll('{provider}', wanted.provider);
const notify = (method, params) => host.postMessage({ jsonrpc: '2.0', method, params }, '*');
const call = (method, params) => new Promise((resolve, reject) => {
  sent += 1;
  waiting.set(sent, { resolve, reject });
  host.postMessage({ jsonrpc: '2.0', id: sent, method, params }, '*');
});

window.addEventListener('message', ({ source, data }) => {
  if (source !== host || data?.jsonrpc !== '2.0') return;
  if (data.method === undefined) {
    const { resolve, reject } = waiting.get(data.id) ?? {};
    waiting.delete(data.id);
    if (data.error) reject?.(data.error);
    else resolve?.(data.result);
  } else if (data.method === 'ui/notifications/tool-result') show(data.params?.structuredContent ?? {});
  else if (data.method === 'ui/notifications/host-context-changed') dress(data.params ?? {});
  else if (data.id !== undefined) host.postMessage({ jsonrpc: '2.0', id: data.id, result: {} }, '*');
});

function dress({ theme, styles, locale }) {
  if (theme === 'light' || theme === 'dark') document.documentElement.style.colorScheme = theme;
  for (const [name, value] of Object.entries(styles?.variables ?? {}))
    if (name.startsWith('--') && typeof value === 'string') document.documentElement.style.setProperty(name, value);
  const language = String(locale ?? document.documentElement.lang).slice(0, 2).toLowerCase();
  words = TEXTS[language] ?? TEXTS.en;
  document.documentElement.lang = TEXTS[language] ? language : 'en';
  write();
}

function write() {
  for (const [id, text] of Object.entries({
    title: words.title, lead: words.lead, label: words.code, send: words.send, warning: words.warning,
    done: words.done, refused: words.refused, blocked: words.blocked, nothing: words.nothing,
  })) element(id).textContent = say(text);
  element('connect').textContent = element('finish').hidden ? words.connect : words.again;
}

function show({ provider, connectUrl, isConnected }) {
  const isName = typeof provider === 'string' && /^[a-z0-9][a-z0-9:_~-]{0,99}$/.test(provider);
  const isPage = typeof connectUrl === 'string' && /^https?:/.test(connectUrl);
  if (isName && isPage) wanted = { provider, url: connectUrl };
  element('ask').hidden = !(isName && isPage) || isConnected === true;
  element('done').hidden = isConnected !== true || wanted.provider === '';
  element('nothing').hidden = !element('ask').hidden || !element('done').hidden;
  write();
}

element('connect').addEventListener('click', async () => {
  element('finish').hidden = false;
  const opened = await call('ui/open-link', { url: wanted.url }).catch(() => ({ isError: true }));
  if (opened?.isError === true) {
    element('blocked').hidden = false;
    element('address').hidden = false;
    element('address').textContent = wanted.url;
  }
  write();
});

// No form: hosts may sandbox the card without \`allow-forms\`, which keeps submit events back.
element('send').addEventListener('click', finish);
element('code').addEventListener('keydown', ({ key }) => void (key === 'Enter' && finish()));

async function finish() {
  if (element('code').value.trim() === '' || element('send').disabled) return;
  element('refused').hidden = true;
  element('send').disabled = true;
  const given = { provider: wanted.provider, completionCode: element('code').value.trim() };
  const answer = await call('tools/call', { name: 'connect', arguments: given }).catch(() => undefined);
  element('send').disabled = false;
  if (answer?.structuredContent?.isConnected !== true) {
    element('refused').hidden = false;
    element('code').focus();
    return;
  }
  show({ isConnected: true });
  const content = [{ type: 'text', text: say(words.message) }];
  await call('ui/message', { role: 'user', content }).catch(() => undefined);
}

new ResizeObserver(() => {
  const { height } = document.body.getBoundingClientRect();
  notify('ui/notifications/size-changed', { height: Math.ceil(height) });
}).observe(document.body);

call('ui/initialize', {
  protocolVersion: '2026-01-26',
  appInfo: { name: 'integration-gateway-connect', version: '1' },
  appCapabilities: {},
}).then((answer) => {
  dress(answer?.hostContext ?? {});
  notify('ui/notifications/initialized', {});
}, () => undefined);
`;

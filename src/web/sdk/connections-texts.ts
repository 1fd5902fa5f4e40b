/** What went wrong, by the code of the error; `other` for the rest. */
const EN_FAILURES = {
  popup_blocked: 'The browser blocked the window. Allow windows for this page and try again.',
  popup_closed: 'The window was closed before the account was connected.',
  access_denied: 'Access was not granted.',
  session_expired: 'It took too long. Try again.',
  account_mismatch: 'Another account was chosen than the one that is connected here.',
  organization_role_missing: 'You may not change what your organization has connected.',
  connection_not_found: 'This account is no longer connected.',
  network_error: 'There was no answer. Check the network and try again.',
  other: 'That did not work. Try again later.',
};

type Failures = typeof EN_FAILURES;

/** Errors of the application's own token function keep their message, which is for its users. */
function wordFailure(words: Failures, error: Error): string {
  if (error instanceof TypeError) return words.network_error;
  // By their names: applications bundle the classes apart from these components.
  if (!/^(Connect|Gateway)Error$/.test(error.name)) return error.message;
  const { code }: { code?: unknown } = error as Error & { code?: unknown };
  return Object.entries(words).find(([known]) => known === code)?.[1] ?? words.other;
}

/** Words of the list of connections, in the languages of the gateway's own pages. English gives the shape. */
const EN = {
  empty: 'Nothing is connected.',
  attention: 'Needs to be connected again',
  lastUsed: (at: string | null) =>
    at === null ? 'Not used yet' : `Last used ${new Date(at).toLocaleString('en')}`,
  reconnect: 'Connect again',
  remove: 'Remove',
  confirm: (name: string) => `Remove ${name}? What uses it stops working.`,
  users: 'What may use them',
  application: 'This application',
  agent: (name: string, access: 'read' | 'all') =>
    `${name} (${access === 'read' ? 'reads' : 'reads and changes'})`,
  unnamed: 'An agent without a name',
  withdraw: 'Withdraw',
  failed: (error: Error) => wordFailure(EN_FAILURES, error),
};

export type ConnectionsTexts = typeof EN;

const DE_FAILURES: Failures = {
  popup_blocked:
    'Der Browser hat das Fenster blockiert. Erlauben Sie Fenster für diese Seite und versuchen Sie es noch einmal.',
  popup_closed: 'Das Fenster wurde geschlossen, bevor das Konto verbunden war.',
  access_denied: 'Der Zugriff wurde nicht erlaubt.',
  session_expired: 'Es hat zu lange gedauert. Versuchen Sie es noch einmal.',
  account_mismatch: 'Es wurde ein anderes Konto gewählt als das, das hier verbunden ist.',
  organization_role_missing: 'Sie dürfen nicht ändern, was Ihre Organisation verbunden hat.',
  connection_not_found: 'Dieses Konto ist nicht mehr verbunden.',
  network_error: 'Es kam keine Antwort. Prüfen Sie das Netz und versuchen Sie es noch einmal.',
  other: 'Das hat nicht geklappt. Versuchen Sie es später noch einmal.',
};

const DE: ConnectionsTexts = {
  empty: 'Es ist nichts verbunden.',
  attention: 'Muss neu verbunden werden',
  lastUsed: (at) =>
    at === null ? 'Noch nicht benutzt' : `Zuletzt benutzt: ${new Date(at).toLocaleString('de')}`,
  reconnect: 'Neu verbinden',
  remove: 'Entfernen',
  confirm: (name) => `${name} entfernen? Was das Konto benutzt, funktioniert dann nicht mehr.`,
  users: 'Was diese Konten benutzen darf',
  application: 'Diese Anwendung',
  agent: (name, access) => `${name} (${access === 'read' ? 'liest' : 'liest und ändert'})`,
  unnamed: 'Ein Agent ohne Namen',
  withdraw: 'Widerrufen',
  failed: (error) => wordFailure(DE_FAILURES, error),
};

const ES_FAILURES: Failures = {
  popup_blocked:
    'El navegador ha bloqueado la ventana. Permita ventanas para esta página e inténtelo de nuevo.',
  popup_closed: 'La ventana se cerró antes de que la cuenta quedara conectada.',
  access_denied: 'No se concedió el acceso.',
  session_expired: 'Ha tardado demasiado. Inténtelo de nuevo.',
  account_mismatch: 'Se eligió una cuenta distinta de la que está conectada aquí.',
  organization_role_missing: 'No puede cambiar lo que ha conectado su organización.',
  connection_not_found: 'Esta cuenta ya no está conectada.',
  network_error: 'No hubo respuesta. Compruebe la red e inténtelo de nuevo.',
  other: 'No ha funcionado. Inténtelo de nuevo más tarde.',
};

const ES: ConnectionsTexts = {
  empty: 'No hay nada conectado.',
  attention: 'Hay que conectarla de nuevo',
  lastUsed: (at) => (at === null ? 'Todavía sin usar' : `Último uso: ${new Date(at).toLocaleString('es')}`),
  reconnect: 'Conectar de nuevo',
  remove: 'Quitar',
  confirm: (name) => `¿Quitar ${name}? Lo que la usa dejará de funcionar.`,
  users: 'Qué puede usarlas',
  application: 'Esta aplicación',
  agent: (name, access) => `${name} (${access === 'read' ? 'lee' : 'lee y cambia'})`,
  unnamed: 'Un agente sin nombre',
  withdraw: 'Retirar',
  failed: (error) => wordFailure(ES_FAILURES, error),
};

const ALL: Readonly<Record<string, ConnectionsTexts>> = { en: EN, de: DE, es: ES };

/** The texts of a BCP 47 tag such as `de-AT`; English for a language that is not there. */
export function findConnectionsTexts(locale: string): ConnectionsTexts {
  return ALL[locale.slice(0, 2).toLowerCase()] ?? EN;
}

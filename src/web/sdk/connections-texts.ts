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
};

export type ConnectionsTexts = typeof EN;

const DE: ConnectionsTexts = {
  empty: 'Es ist nichts verbunden.',
  attention: 'Muss neu verbunden werden',
  lastUsed: (at) =>
    at === null ? 'Noch nicht benutzt' : `Zuletzt benutzt: ${new Date(at).toLocaleString('de')}`,
  reconnect: 'Neu verbinden',
  remove: 'Entfernen',
  confirm: (name) => `${name} entfernen? Was das Konto benutzt, funktioniert dann nicht mehr.`,
  users: 'Was sie benutzen darf',
  application: 'Diese Anwendung',
  agent: (name, access) => `${name} (${access === 'read' ? 'liest' : 'liest und ändert'})`,
  unnamed: 'Ein Agent ohne Namen',
  withdraw: 'Widerrufen',
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
};

const ALL: Readonly<Record<string, ConnectionsTexts>> = { en: EN, de: DE, es: ES };

/** The texts of a BCP 47 tag such as `de-AT`; English for a language that is not there. */
export function findConnectionsTexts(locale: string): ConnectionsTexts {
  return ALL[locale.slice(0, 2).toLowerCase()] ?? EN;
}

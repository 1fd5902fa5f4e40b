import type { Texts } from '../area-texts.ts';

export const languageName: Texts['languageName'] = 'Deutsch';

export const common: Texts['common'] = {
  cancel: 'Abbrechen',
  close: 'Schließen',
  save: 'Speichern',
  saved: 'Gespeichert',
  undo: 'Rückgängig',
  copy: 'Kopieren',
  copied: 'Kopiert',
  copyId: (id) => `${id} kopieren`,
  delete: 'Löschen',
  edit: 'Bearbeiten',
  create: 'Anlegen',
  continue: 'Weiter',
  back: 'Zurück',
  retry: 'Noch einmal versuchen',
  search: 'Suchen',
  filter: 'Filtern',
  addFilter: 'Filter hinzufügen',
  removeFilter: (name) => `Filter ${name} entfernen`,
  clearFilters: 'Alle Filter entfernen',
  showMore: 'Mehr anzeigen',
  loading: 'Wird geladen',
  updated: (time) => `Aktualisiert ${time}`,
  refresh: 'Aktualisieren',
  export: 'Exportieren',
  never: 'nie',
  none: 'keine',
  unknown: 'unbekannt',
  yes: 'Ja',
  no: 'Nein',
  optional: 'optional',
  learnMore: 'Mehr dazu',
  details: 'Einzelheiten',
  actions: 'Aktionen',
  typeToConfirm: (name) => `Zum Bestätigen ${name} eingeben`,
  cannotBeUndone: 'Das lässt sich nicht rückgängig machen.',
  viewerNote:
    'Sie können dieses Projekt ansehen, aber nicht ändern. Ein Inhaber oder Admin kann Ihnen eine andere Rolle geben.',
  roleNotRead: 'Ihre Rolle in diesem Projekt war nicht lesbar: Was etwas ändert, ist bis dahin ausgeblendet.',
  rowsShown: (count) => (count === 1 ? '1 Zeile' : `${count} Zeilen`),
  noMatches: 'Zu diesen Filtern passt nichts.',
  roles: { owner: 'Inhaber', admin: 'Admin', viewer: 'Betrachter' },
};

export const problem: Texts['problem'] = {
  requestId: 'Anfrage',
  findings: 'Ansehen, was nicht stimmt',
  explain: 'Was dieser Code bedeutet',
  unreachableTitle: 'Das Gateway antwortet nicht',
  unreachableRemedy:
    'Prüfen Sie, ob es läuft und ob dieses Gerät online ist. Die Seite macht von selbst weiter.',
  unexpectedTitle: 'Diese Seite hat einen Fehler',
  unexpectedRemedy: 'Laden Sie die Seite neu. Wenn es wieder geschieht, melden Sie den Text hier.',
  reload: 'Seite neu laden',
  notFoundTitle: 'Hier ist nichts',
  notFoundText:
    'Die Adresse ist falsch, das Gesuchte wurde gelöscht, oder es gehört zu einem Projekt, in dem Sie nicht Mitglied sind.',
  toHome: 'Zur Startseite',
};

export const connectErrors: Texts['connectErrors'] = {
  title: 'Es wurde nichts verbunden',
  popup_blocked:
    'Der Browser hat das Fenster blockiert. Erlauben Sie Fenster für diese Seite und versuchen Sie es noch einmal.',
  popup_closed: 'Das Fenster wurde geschlossen, bevor das Konto verbunden war.',
  access_denied: 'Der Zugriff wurde beim Anbieter nicht gewährt.',
  session_expired: 'Es hat zu lange gedauert. Versuchen Sie es noch einmal.',
  account_mismatch: 'Es wurde ein anderes Konto gewählt als das dieser Verbindung.',
  provider_error: 'Der Anbieter konnte die Autorisierung nicht abschließen. Im Fenster steht mehr dazu.',
};

export const frame: Texts['frame'] = {
  product: 'Integration Gateway',
  skipToContent: 'Zum Inhalt springen',
  nav: {
    label: 'Hauptnavigation',
    home: 'Start',
    integrations: 'Integrationen',
    connections: 'Verbindungen',
    events: 'Ereignisse',
    calls: 'Aufrufe',
    settings: 'Einstellungen',
  },
  openMenu: 'Menü öffnen',
  project: 'Projekt',
  switchProject: 'Projekt wechseln',
  newProject: 'Neues Projekt',
  newProjectName: 'Name',
  createProject: 'Projekt anlegen',
  noProjects:
    'Sie sind in keinem Projekt Mitglied. Bitten Sie einen Inhaber um eine Einladung oder legen Sie eines an.',
  help: 'Hilfe',
  docs: 'Fehlercodes',
  apiReference: 'API-Referenz',
  keyboard: 'Tastenkürzel',
  gateway: 'Dieses Gateway',
  gatewayVersion: (version) => `Gateway ${version}`,
  reachable: 'erreichbar',
  account: 'Ihr Konto',
  me: 'Profil und Sicherheit',
  signOut: 'Abmelden',
  appearance: 'Erscheinungsbild',
  light: 'Hell',
  dark: 'Dunkel',
  system: 'System',
  language: 'Sprache',
  offline:
    'Sie sind offline. Was Sie sehen, kann alt sein; die Seite macht weiter, sobald das Netz wieder da ist.',
  unreachable:
    'Das Gateway antwortet nicht, vielleicht startet es neu. Alle paar Sekunden ein neuer Versuch.',
  back: 'Das Gateway antwortet wieder.',
};

export const palette: Texts['palette'] = {
  open: 'Suchen oder gehen zu',
  title: 'Suche',
  placeholder: 'Nutzer, Verbindung, Anfrage, Konto, Anbieter oder Seite',
  pages: 'Seiten',
  actions: 'Aktionen',
  results: 'Treffer',
  nothing: (words) => `Nichts gefunden zu „${words}“.`,
  searching: 'Suche läuft',
  kinds: {
    user: 'Nutzer',
    connection: 'Verbindung',
    integration: 'Integration',
    provider: 'Anbieter',
    request: 'Anfrage',
    project: 'Projekt',
  },
  createIntegration: 'Integration anlegen',
  switchTheme: 'Zwischen hell und dunkel wechseln',
};

export const keyboard: Texts['keyboard'] = {
  title: 'Tastenkürzel',
  search: 'Suchen oder gehen zu',
  help: 'Diese Tastenkürzel zeigen',
  nextRow: 'Nächste Zeile einer Liste',
  previousRow: 'Vorige Zeile',
  openRow: 'Zeile öffnen',
  goTo: (page) => `Zu ${page}`,
  closeDialog: 'Dialog schließen',
};

export const ownInvitations: Texts['ownInvitations'] = {
  title: 'Einladungen',
  lead: 'Sie werden Mitglied, sobald Sie annehmen. Bis dahin ändert sich nichts für Sie.',
  project: 'Projekt',
  role: 'Rolle',
  invitedBy: 'Eingeladen von',
  expires: 'Läuft ab',
  accept: 'Annehmen',
  decline: 'Ablehnen',
  joined: (project: string) => `Sie sind jetzt Mitglied von ${project}`,
  declined: (project: string) => `Einladung zu ${project} abgelehnt`,
  count: (count: number) => (count === 1 ? 'Eine Einladung' : `${count} Einladungen`),
};

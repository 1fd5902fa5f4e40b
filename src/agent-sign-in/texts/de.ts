import type { Texts } from './en.ts';

export const DE: Texts = {
  title: (client) => `Darf ${client} Ihre Konten benutzen?`,
  lead: (application, user) =>
    `Sie sind bei ${application} als ${user} angemeldet. Wenn Sie es erlauben, handelt dieses Programm für Sie.`,
  client: 'Wer fragt',
  unnamed: 'Ein Programm ohne Namen',
  address: (host) => `dafür steht ${host}`,
  unproved: 'Der Name ist die Angabe des Programms. Belegt ist die Adresse, die dahintersteht.',
  noAddress: 'für das keine Adresse steht',
  nothingProved:
    'Der Name ist die Angabe des Programms, und nichts belegt ihn. Sehen Sie nach, wohin der Zugang geht, und erlauben Sie nur, was Sie selbst begonnen haben.',
  goesTo: 'Wohin der Zugang geht',
  thisComputer: 'An ein Programm auf diesem Computer',
  program: (scheme) => `An ein Programm auf diesem Gerät (${scheme})`,
  may: 'Was es darf',
  everything:
    'In den Konten, die Sie verbunden haben oder noch verbinden, lesen, anlegen, ändern, senden und löschen',
  also: 'Und nichts, was nicht auch hier steht:',
  nothing: 'Nichts: Die Grenzen, die die Anwendung setzt, lassen sich nicht lesen.',
  read: (service) => `Bei ${service} lesen`,
  write: (service) => `Bei ${service} lesen und ändern`,
  oneAccount: 'in einem Ihrer Konten dort',
  methods: (names) => `nur mit ${names}`,
  paths: (paths) => `nur ${paths}`,
  asks: 'nach Rückfrage bei Ihnen',
  perHour: (count) => `höchstens ${count}-mal in der Stunde`,
  choice: 'Wie viel davon',
  all: 'Alles',
  readOnly: 'Nur lesen: Nichts wird angelegt, geändert, gesendet oder gelöscht',
  allow: 'Erlauben',
  refuse: 'Nicht erlauben',
  withdraw: 'Sie können das später in der Anwendung zurücknehmen.',
  invalid: {
    title: 'Diese Anmeldung ist vorbei',
    text: 'Sie gilt eine halbe Stunde, einmal, in dem Browser, in dem sie begonnen hat. Gehen Sie zu Ihrem Assistenten zurück und verbinden Sie ihn noch einmal.',
  },
  unavailable: {
    title: 'Hier kann man sich noch nicht anmelden',
    text: 'Die Anwendung hat das Anmelden für Assistenten nicht eingerichtet. Ihre Betreiber können das tun.',
  },
  providerAway: {
    title: 'Die Anmeldung antwortet nicht',
    text: 'Der Anmeldedienst der Anwendung ist nicht erreichbar. Es wurde nichts erlaubt. Versuchen Sie es in ein paar Minuten noch einmal.',
  },
  providerFailed: {
    title: 'Die Anwendung konnte Sie nicht anmelden',
    text: 'Ihr Anmeldedienst hat etwas geantwortet, das hier nicht gilt. Es wurde nichts erlaubt. Versuchen Sie es noch einmal; hilft das nicht, müssen die Betreiber nachsehen.',
  },
  noLimits: {
    title: 'Die Anwendung hat keine Grenzen gesetzt',
    text: 'Sie lässt Assistenten nur in Grenzen handeln, die sie setzt, und für Ihren hat sie keine gesetzt. Es wurde nichts erlaubt. Die Betreiber müssen nachsehen.',
  },
  details: 'Angaben für den Support',
  code: 'Code',
  requestId: 'Anfrage',
  failed: {
    title: 'Das hat nicht geklappt',
    text: 'Es wurde nichts erlaubt. Gehen Sie zu Ihrem Assistenten zurück und verbinden Sie ihn noch einmal, oder versuchen Sie es später.',
  },
};

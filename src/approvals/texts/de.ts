import type { Texts } from './en.ts';

export const DE: Texts = {
  title: (service) => `Diesen Aufruf bei ${service} erlauben?`,
  lead: 'Ein Programm möchte genau das, was Sie hier sehen, mit Ihrem Konto absenden. Noch wurde nichts gesendet.',
  who: 'Wer fragt',
  unnamed: 'Ein Programm mit einem Token der Anwendung, der es nicht nennt',
  onBehalfOf: (name) => `im Auftrag von ${name}`,
  client: (name) => `Client: ${name}`,
  service: 'Dienst',
  account: 'Konto',
  host: 'Server',
  method: 'Methode',
  path: 'Pfad',
  query: 'Abfrage',
  noQuery: 'Keine',
  fields: 'Kopffelder',
  noFields: 'Keine eigenen',
  name: 'Name',
  value: 'Wert',
  body: 'Inhalt',
  noBody: 'Keiner',
  bytes: (count) => (count === 1 ? '1 Byte' : `${count} Bytes`),
  readable: 'Zum Lesen',
  asSent: 'Wie er gesendet wird',
  binary: 'Der Inhalt ist kein Text. Das sind seine Bytes in Base64:',
  unseen:
    'Unsichtbare Zeichen werden benannt, etwa ⟨U+200B⟩. Wie ein Name oder eine Adresse aussieht, beweist nicht, wem sie gehört.',
  once: 'Wenn Sie das erlauben, darf das Programm weitere Aufrufe dieser Art ohne Rückfrage senden, solange sein jetziger Zugang gilt (höchstens einen Tag):',
  onceAll: 'alle Pfade',
  each: 'Wenn Sie das erlauben, darf der Aufruf einmal gesendet werden, innerhalb einiger Minuten. Bei jedem anderen wird wieder gefragt.',
  allow: 'Erlauben',
  refuse: 'Nicht erlauben',
  refuseAfterAll: 'Doch nicht erlauben',
  until: (time) => `Entscheiden Sie bis ${time}.`,
  states: {
    approved: {
      title: 'Erlaubt',
      text: 'Das Programm darf den Aufruf jetzt senden. Sie können diese Seite schließen und zurückgehen.',
    },
    rejected: {
      title: 'Nicht erlaubt',
      text: 'Der Aufruf wird nicht gesendet. Sie können diese Seite schließen.',
    },
    used: { title: 'Gesendet', text: 'Sie hatten diesen Aufruf erlaubt, und er wurde gesendet.' },
    expired: {
      title: 'Zu spät',
      text: 'Die Zeit für die Entscheidung ist um, und nichts wurde gesendet. Das Programm kann noch einmal fragen.',
    },
  },
  closed: {
    title: 'Melden Sie sich an, um zu entscheiden',
    text: 'Ein Programm bittet Sie, einen Aufruf zu erlauben. Öffnen Sie die Anfrage in der Anwendung, mit der Sie Ihr Konto verbunden haben: Sie weiß, wer Sie sind, diese Adresse nicht.',
    goOn: 'Weiter in der Anwendung',
  },
  linkUsed: {
    title: 'Dieser Link wurde schon benutzt',
    text: 'Er öffnet sich einmal, in einem Browser, eine halbe Stunde lang. Öffnen Sie die Anfrage noch einmal in der Anwendung.',
  },
  failed: {
    title: 'Das hat nicht geklappt',
    text: 'Es wurde nichts entschieden. Laden Sie die Seite neu, oder versuchen Sie es später.',
  },
};

import type { Texts } from '../area-texts.ts';

export const home: Texts['home'] = {
  title: 'Start',
  firstLead: 'Fünf Schritte bis zum ersten Aufruf Ihrer Anwendung.',
  stepsTitle: 'Erste Schritte',
  stepsDone: (done, all) => `${done} von ${all} erledigt`,
  stepDone: 'Erledigt',
  steps: {
    project: {
      title: 'Projekt anlegen',
      text: 'Ein Projekt enthält die Integrationen, Verbindungen und Schlüssel einer Anwendung.',
    },
    integration: {
      title: 'Integration anlegen',
      text: 'Wählen Sie einen Anbieter und geben Sie den Client ein, den Sie dort registriert haben. Die Seite sagt Schritt für Schritt, was beim Anbieter zu tun ist.',
    },
    account: {
      title: 'Testkonto verbinden',
      text: 'Gehen Sie mit einem eigenen Konto den Weg Ihrer Nutzer. Es gehört Ihrem Testnutzer, niemand sonst sieht es.',
    },
    call: {
      title: 'Den ersten Aufruf senden',
      text: 'Rufen Sie die API des Anbieters selbst auf. Das Gateway fügt das Access-Token hinzu und hält es frisch.',
    },
    code: {
      title: 'Code in die Anwendung kopieren',
      text: 'Dieser Schritt ist erledigt, wenn der erste Aufruf für einen Ihrer Nutzer geklappt hat.',
    },
  },
  demoElsewhere:
    'Das Demo-CRM ist im Projekt Demo eingerichtet: Wählen Sie es oben links, um alles sofort zu probieren.',
  demoSignIn: 'Melden Sie sich beim Demo-CRM als ada@northwind.test mit dem Passwort demo an.',
  connectAccount: 'Testkonto verbinden',
  chooseIntegration: (provider) => `Integration: ${provider}`,
  path: (provider) => `Pfad der API von ${provider}`,
  sendCall: 'Aufruf senden',
  openConsole: 'Konsole öffnen',
  answered: (status, time) => `Antwort ${status} nach ${time}`,
  byProvider: 'So hat der Anbieter geantwortet. Das Gateway hat den Aufruf weitergeleitet.',
  byGateway: (code) => `Das Gateway hat den Aufruf abgelehnt: ${code}.`,
  answer: 'Antwort',
  codeNames: { node: 'Node', curl: 'curl', browser: 'Browser: verbinden' },
  codeKey: 'Den Schlüssel gibt es in den Einstellungen des Projekts:',
  apiKeys: 'API-Schlüssel',
  attentionTitle: 'Braucht Sie',
  nothingToDo: 'Gerade ist nichts zu tun.',
  lostConnections: (count) =>
    count === 1 ? '1 Verbindung braucht ihren Nutzer' : `${count} Verbindungen brauchen ihre Nutzer`,
  lostRemedy: 'Bitten Sie diese Nutzer, sich neu zu verbinden; die Kennung der Verbindung bleibt.',
  destinationDisabled: 'Ziel abgeschaltet',
  destinationFailing: 'Ziel gestört',
  destinationDisabledRemedy:
    'Seine Ereignisse warten. Beheben Sie den Fehler beim Empfänger und schalten Sie es ein.',
  destinationFailingRemedy:
    'Seine Ereignisse warten, bis ein Versuch gelingt. Sehen Sie nach, was der Empfänger antwortet.',
  dayTitle: 'Aufrufe',
  dayLead: 'Letzte 24 Stunden, nach Anbieter',
  noCalls: 'Keine Aufrufe in den letzten 24 Stunden.',
  provider: 'Anbieter',
  perHour: 'Je Stunde',
  calls: 'Aufrufe',
  gatewayErrors: 'Gateway-Fehler',
  providerErrors: 'Anbieterfehler',
  p95: '95 % innerhalb',
  activityTitle: 'Letzte Aktivität',
  allActivity: 'Alle Aktivität',
  when: 'Wann',
  action: 'Vorgang',
  subject: 'Gegenstand',
  actor: 'Durch',
};

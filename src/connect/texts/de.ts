import type { Texts } from './en.ts';

const TELL_THE_MAKERS =
  'Sie selbst können das nicht beheben. Bitte wenden Sie sich an die Betreiber der Anwendung';

/** Deutsch, in der Höflichkeitsform. */
export const DE: Texts = {
  choose: {
    title: 'Konto verbinden',
    lead: 'Wählen Sie den Dienst, den Sie verbinden möchten.',
    empty: 'Es gibt noch nichts zu verbinden. Bitte wenden Sie sich an die Betreiber der Anwendung.',
    search: 'Dienste durchsuchen',
    searchButton: 'Suchen',
    matches: (count) => (count === 1 ? '1 Dienst' : `${count} Dienste`),
    noMatch: (words) => `Kein Dienst passt zu „${words}“.`,
    showAll: 'Alle Dienste anzeigen',
    mostUsed: 'Am häufigsten verwendet',
    part: (first, last, count) =>
      `Angezeigt werden ${first} bis ${last} von ${count}, die am häufigsten verwendeten zuerst. Die übrigen finden Sie über die Suche.`,
    next: 'Die nächsten anzeigen',
    first: 'Zurück zu den ersten',
  },
  cancel: 'Abbrechen',
  tenants: {
    titles: {
      account: 'Konto auswählen',
      organization: 'Organisation auswählen',
      company: 'Firma auswählen',
      site: 'Website auswählen',
      workspace: 'Arbeitsbereich auswählen',
      business: 'Unternehmen auswählen',
      location: 'Standort auswählen',
      project: 'Projekt auswählen',
      page: 'Seite auswählen',
    },
    lead: (provider) =>
      `Die Anwendung darf bei ${provider} auf mehrere Einträge zugreifen. Wählen Sie den, mit dem sie arbeiten soll.`,
    search: 'Liste durchsuchen',
    searchButton: 'Suchen',
    matches: (count) => (count === 1 ? '1 Eintrag' : `${count} Einträge`),
    noMatch: (words) => `Kein Eintrag passt zu „${words}“.`,
    showAll: 'Alle Einträge anzeigen',
    more: (count) => `Angezeigt werden die ersten ${count}. Die übrigen finden Sie über die Suche.`,
    unchosen: 'Bitte wählen Sie einen Eintrag aus.',
    cancel: 'Abbrechen, keiner davon passt',
  },
  categories: {
    crm: 'CRM',
    marketing: 'Marketing',
    support: 'Kundendienst',
    communication: 'Kommunikation',
    'calendar-email': 'Kalender und E-Mail',
    productivity: 'Produktivität',
    'project-management': 'Projektmanagement',
    storage: 'Dateien und Speicher',
    accounting: 'Buchhaltung',
    commerce: 'Handel',
    payments: 'Zahlungen',
    hr: 'Personal',
    developer: 'Entwicklerwerkzeuge',
    analytics: 'Analyse',
    social: 'Soziale Medien',
    identity: 'Identität',
    design: 'Gestaltung',
    sales: 'Vertrieb',
    data: 'Daten',
    security: 'Sicherheit',
    health: 'Gesundheit',
    education: 'Bildung',
    legal: 'Recht',
    media: 'Medien und Spiele',
    other: 'Weitere Dienste',
  },
  form: {
    title: (provider) => `${provider} verbinden`,
    leadOAuth: (provider) =>
      `Zuerst brauchen wir einige Angaben. Danach geht es weiter zu ${provider}, wo Sie sich anmelden und zustimmen.`,
    leadKey: (provider) =>
      `Geben Sie die Zugangsdaten Ihres Kontos bei ${provider} ein. Sie werden verschlüsselt gespeichert.`,
    leadClient: (provider) =>
      `Die Anwendung verbindet sich mit einem eigenen Konto mit ${provider}. Niemand muss sich anmelden.`,
    goOn: (provider) => `Weiter zu ${provider}`,
    connect: 'Verbinden',
    apiKey: 'API-Schlüssel',
    username: 'Benutzername',
    password: 'Passwort',
    example: (example) => `Zum Beispiel: ${example}`,
    choose: 'Bitte wählen',
    none: 'Keine Angabe',
    documentation: (provider) => `Dokumentation von ${provider} (öffnet sich in einem neuen Fenster)`,
    required: 'Bitte füllen Sie dieses Feld aus.',
    unusable:
      'Darin stehen Zeichen, die in solchen Zugangsdaten nicht vorkommen. Kopieren Sie sie noch einmal, ohne Anführungszeichen.',
    invalid: (label) => `Das kann für „${label}“ nicht stimmen. Bitte prüfen Sie die Schreibweise.`,
    certificateNotInForce:
      'Dieses Zertifikat ist abgelaufen oder noch nicht gültig. Verwenden Sie eines, das heute gilt.',
    otherKey:
      'Dieser Schlüssel gehört zu einem anderen Zertifikat. Fügen Sie den Schlüssel ein, für den das Zertifikat ausgestellt wurde.',
    passphraseMissing: 'Der private Schlüssel ist verschlüsselt. Geben Sie seine Passphrase ein.',
    passphraseWrong: 'Diese Passphrase öffnet den privaten Schlüssel nicht.',
  },
  outcome: {
    connectedTitle: 'Verbunden',
    connectedLead: (provider) =>
      `Ihr Konto bei ${provider} ist verbunden. Sie können dieses Fenster schließen.`,
    returningTitle: 'Fast geschafft',
    returningLead: (provider) =>
      `Ihr Konto bei ${provider} ist bereit. Die Anwendung schließt die Verbindung ab; sollte dieses Fenster offen bleiben, schließen Sie es bitte.`,
    leadingBackLead: (provider) =>
      `Ihr Konto bei ${provider} ist bereit. Sie kehren jetzt zur Anwendung zurück, die die Verbindung abschließt.`,
    backTo: (application) => (application === '' ? 'Zurück zur Anwendung' : `Zurück zu ${application}`),
    tryAgain: 'Noch einmal versuchen',
    closeWindow: 'Fenster schließen',
    failedTitle: 'Nicht verbunden',
    whatToDo: 'Was Sie tun können',
    closeHint: 'Sie können dieses Fenster schließen.',
    details: 'Technische Angaben',
    code: 'Fehler',
    reason: 'Grund',
    providerCode: 'Code des Anbieters',
    requestId: 'Anfrage',
  },
  agents: {
    codeTitle: 'Noch ein Schritt',
    codeLead:
      'Kopieren Sie diesen Code und geben Sie ihn dem Assistenten, bei dem Sie die Verbindung angefordert haben.',
    code: 'Ihr Code',
    copy: 'Code kopieren',
    codeWarning:
      'Geben Sie den Code niemandem sonst. Ohne ihn wird nichts verbunden; hat eine andere Person Sie hierher geschickt, schließen Sie dieses Fenster.',
    noCode:
      'Es wurde nichts verbunden. Sie können dieses Fenster schließen und Ihren Assistenten noch einmal fragen.',
    needsScript: 'Diese Seite braucht JavaScript, um den Code zu zeigen.',
  },
  failures: {
    access_denied: {
      title: 'Der Zugriff wurde nicht erlaubt',
      text: (provider) =>
        `${provider} meldet, dass der Zugriff nicht erlaubt wurde. Es wurde nichts verbunden.`,
      remedy: () =>
        'Falls das ein Versehen war, versuchen Sie es noch einmal und stimmen Sie dem Zugriff zu.',
    },
    cancelled: {
      title: 'Abgebrochen',
      text: () => 'Es wurde nichts verbunden.',
      remedy: () => 'Sie können jederzeit von vorn beginnen.',
    },
    admin_consent_required: {
      title: 'Ein Administrator muss zustimmen',
      text: (provider) =>
        `In Ihrer Organisation darf nur ein Administrator von ${provider} diese Anwendung freigeben.`,
      remedy: (provider) =>
        `Bitten Sie die Administration von ${provider} in Ihrer Organisation um Freigabe und beginnen Sie dann noch einmal.`,
    },
    not_assigned: {
      title: 'Ihr Konto darf diese Anwendung nicht verwenden',
      text: (provider) =>
        `Ihre Organisation hat Ihrem Konto bei ${provider} keinen Zugang zu dieser Anwendung gegeben.`,
      remedy: (provider) =>
        `Bitten Sie die Administration von ${provider} um Zugang oder melden Sie sich mit einem anderen Konto an.`,
    },
    blocked_by_policy: {
      title: 'Ihre Organisation erlaubt das nicht',
      text: (provider) => `Eine Regel Ihrer Organisation bei ${provider} sperrt diese Anwendung.`,
      remedy: (provider) =>
        `Fragen Sie die Administration von ${provider}, ob die Anwendung zugelassen werden kann.`,
    },
    wrong_organisation: {
      title: 'Dieses Konto gehört nicht hierher',
      text: (provider) =>
        `Das Konto bei ${provider}, mit dem Sie sich angemeldet haben, gehört zu keiner Organisation, die diese Anwendung verwenden darf.`,
      remedy: () =>
        'Beginnen Sie noch einmal und melden Sie sich mit einem anderen Konto an, meist dem Ihrer Firma.',
    },
    sign_in_required: {
      title: 'Sie waren nicht angemeldet',
      text: (provider) => `${provider} konnte nicht erkennen, wer Sie sind, weil niemand angemeldet war.`,
      remedy: (provider) =>
        `Melden Sie sich in diesem Browser bei ${provider} an und beginnen Sie dann noch einmal.`,
    },
    account_mismatch: {
      title: 'Ein anderes Konto',
      text: (provider) =>
        `Sie haben sich mit einem anderen Konto bei ${provider} angemeldet als dem, das bisher verbunden war.`,
      remedy: () =>
        'Beginnen Sie noch einmal und melden Sie sich mit demselben Konto an, oder trennen Sie zuerst das bisherige.',
    },
    tenant_lost: {
      title: 'Nicht mehr erreichbar',
      text: (provider) =>
        `Über das Konto bei ${provider}, mit dem Sie sich angemeldet haben, hat die Anwendung keinen Zugriff mehr auf das, was bisher verbunden war.`,
      remedy: () =>
        'Beginnen Sie noch einmal, melden Sie sich mit dem bisherigen Konto an und erlauben Sie den Zugriff auf dieselbe Website oder Organisation. Oder trennen Sie zuerst die bestehende Verbindung.',
    },
    tenant_unknown: {
      title: 'Nicht erreichbar',
      text: (provider) =>
        `Über das Konto bei ${provider}, mit dem Sie sich angemeldet haben, hat die Anwendung keinen Zugriff auf das, was sie angefordert hat.`,
      remedy: () =>
        'Beginnen Sie noch einmal mit einem Konto, das die nötigen Rechte hat, und erlauben Sie den Zugriff, wenn Sie danach gefragt werden.',
    },
    tenant_missing: {
      title: 'Nichts zu verbinden',
      text: (provider) =>
        `Über Ihr Konto bei ${provider} hat die Anwendung auf keine Website, keine Organisation und kein Konto Zugriff.`,
      remedy: () =>
        'Beginnen Sie noch einmal und erlauben Sie mindestens einen Zugriff. Möglicherweise müssen Sie dort Mitglied mit ausreichenden Rechten sein.',
    },
    tenants_refused: {
      title: 'Die Liste wurde verweigert',
      text: (provider) => `${provider} hat der Anwendung nicht gezeigt, worauf Ihr Konto Zugriff hat.`,
      remedy: () =>
        'Bitte wenden Sie sich an die Betreiber der Anwendung: Vielleicht fehlt der Anwendung eine Berechtigung (Scope) oder Ihrem Konto ein Recht.',
    },
    integration_disabled: {
      title: 'Zurzeit abgeschaltet',
      text: (provider) => `Die Anwendung hat ${provider} zurzeit abgeschaltet.`,
      remedy: () => 'Versuchen Sie es später noch einmal. Verbundene Konten bleiben verbunden.',
    },
    integration_not_allowed: {
      title: 'Hier nicht im Angebot',
      text: (provider) => `Die Anwendung bietet ${provider} hier nicht an.`,
      remedy: () => 'Beginnen Sie in der Anwendung noch einmal und wählen Sie, was sie anbietet.',
    },
    application_variables_missing: {
      title: 'Die Anwendung muss dies beginnen',
      text: (provider) =>
        `Für ${provider} muss die Anwendung selbst angeben, für wen sie handelt. Das hat sie nicht getan.`,
      remedy: () => `${TELL_THE_MAKERS}.`,
    },
    operator_needed: {
      title: 'Beim Anbieter ist noch etwas zu tun',
      text: (provider) =>
        `${provider} kennt diese Zugangsdaten, aber dort ist noch nicht erlaubt worden, dass sie für Sie handeln.`,
      remedy: () => 'Bitte fragen Sie die Betreiber der Anwendung; sie sehen, was zu tun ist.',
    },
    tenants_unsupported: {
      title: 'Keine Auswahl möglich',
      text: (provider) =>
        `Die Anwendung hat einen bestimmten Teil eines Kontos bei ${provider} vorgegeben, aber dort gibt es nichts auszuwählen.`,
      remedy: () => `${TELL_THE_MAKERS}.`,
    },
    missing_scopes: {
      title: 'Es fehlen Berechtigungen',
      text: (provider) => `${provider} hat weniger Berechtigungen erteilt, als die Anwendung braucht.`,
      remedy: () =>
        'Beginnen Sie noch einmal und lassen Sie alle Berechtigungen angekreuzt. Gibt es nichts anzukreuzen, fehlt Ihrem Konto ein Recht: Fragen Sie Ihre Administration.',
    },
    credentials_refused: {
      title: 'Zugangsdaten nicht angenommen',
      text: (provider) => `${provider} nimmt diese Zugangsdaten nicht an.`,
      remedy: () => 'Prüfen Sie sie und versuchen Sie es noch einmal.',
    },
    credentials_unproved: {
      title: 'Zugangsdaten nicht prüfbar',
      text: (provider) => `Aus der Antwort von ${provider} geht nicht hervor, ob diese Zugangsdaten stimmen.`,
      remedy: () =>
        'Prüfen Sie die Zugangsdaten und, falls Sie eine Adresse eingegeben haben, auch diese. Versuchen Sie es dann noch einmal.',
    },
    integration_misconfigured: {
      title: 'Die Anwendung ist nicht richtig eingerichtet',
      text: (provider) =>
        `Die Einrichtung der Anwendung für ${provider} stimmt nicht: ${provider} weist sie zurück.`,
      remedy: () => `${TELL_THE_MAKERS} und nennen Sie die technischen Angaben unten.`,
    },
    client_refused: {
      title: 'Die Anwendung ist nicht richtig eingerichtet',
      text: (provider) =>
        `Die Einrichtung der Anwendung für ${provider} stimmt nicht: ${provider} nimmt die Zugangsdaten der Anwendung selbst nicht an.`,
      remedy: (provider) =>
        `${TELL_THE_MAKERS}: Client-ID oder Client-Secret bei ${provider} sind falsch oder abgelaufen.`,
    },
    invalid_scope: {
      title: 'Die Anwendung verlangt zu viel',
      text: (provider) =>
        `Die Anwendung verlangt Berechtigungen, die ${provider} nicht kennt oder ihr nicht gibt.`,
      remedy: () =>
        `${TELL_THE_MAKERS}: Die Berechtigungen (Scopes) der Integration müssen berichtigt werden.`,
    },
    unauthorized_client: {
      title: 'Die Anwendung ist nicht freigegeben',
      text: (provider) =>
        `${provider} kennt diese Anwendung nicht oder lässt sie Konten nicht auf diese Weise verbinden.`,
      remedy: (provider) =>
        `${TELL_THE_MAKERS}: Sie muss bei ${provider} freigegeben oder eingeschaltet werden.`,
    },
    redirect_uri_mismatch: {
      title: 'Die Anwendung ist nicht richtig eingerichtet',
      text: (provider) =>
        `${provider} kennt die Adresse nicht, an die Sie zurückgeleitet werden sollen (die Redirect-URL).`,
      remedy: (provider) => `${TELL_THE_MAKERS}: Die Redirect-URL muss bei ${provider} eingetragen werden.`,
    },
    provider_refused_request: {
      title: 'Die Anwendung ist nicht richtig eingerichtet',
      text: (provider) => `${provider} konnte mit der Anfrage der Anwendung nichts anfangen.`,
      remedy: () => `${TELL_THE_MAKERS} und nennen Sie die technischen Angaben unten.`,
    },
    server_error: {
      title: 'Ein Fehler beim Anbieter',
      text: (provider) => `Bei ${provider} ist etwas schiefgegangen.`,
      remedy: (provider) =>
        `Versuchen Sie es in einigen Minuten noch einmal. Bleibt es dabei, sehen Sie nach, ob ${provider} eine Störung meldet.`,
    },
    temporarily_unavailable: {
      title: 'Zurzeit nicht verfügbar',
      text: (provider) => `${provider} ist überlastet oder wird gewartet.`,
      remedy: () => 'Versuchen Sie es in einigen Minuten noch einmal.',
    },
    provider_unreachable: {
      title: 'Der Anbieter ist nicht erreichbar',
      text: (provider) =>
        `${provider} hat nicht geantwortet, als die Verbindung abgeschlossen werden sollte.`,
      remedy: () => 'Versuchen Sie es in einigen Minuten noch einmal.',
    },
    provider_error: {
      title: 'Der Anbieter hat einen Fehler gemeldet',
      text: (provider) => `${provider} hat mit einem Fehler geantwortet.`,
      remedy: () =>
        'Versuchen Sie es in einigen Minuten noch einmal. Bleibt es dabei, wenden Sie sich an die Betreiber der Anwendung.',
    },
    session_expired: {
      title: 'Dieser Link ist abgelaufen',
      text: () => 'Das hat zu lange gedauert, der Link gilt nicht mehr.',
      remedy: () => 'Beginnen Sie in der Anwendung noch einmal.',
    },
    session_used: {
      title: 'Dieser Link wurde schon verwendet',
      text: () => 'Dieser Link wurde schon verwendet oder in einem anderen Browser geöffnet.',
      remedy: () => 'Beginnen Sie in der Anwendung noch einmal.',
    },
    invalid_state: {
      title: 'Diese Seite kam zu spät',
      text: () =>
        'Diese Antwort gehört zu keinem laufenden Vorgang oder kam ein zweites Mal, etwa weil die Seite neu geladen wurde.',
      remedy: () =>
        'Zeigt die Anwendung Ihr Konto als verbunden an, ist alles in Ordnung. Sonst beginnen Sie dort noch einmal.',
    },
    flow_binding_failed: {
      title: 'Ein anderer Browser',
      text: () =>
        'Der Vorgang wurde in einem anderen Browser begonnen, oder dieser Browser speichert keine Cookies. Zu Ihrer Sicherheit endet er hier.',
      remedy: () =>
        'Beginnen Sie in der Anwendung noch einmal, bleiben Sie in einem Browser und erlauben Sie Cookies dieser Website.',
    },
    invalid_callback: {
      title: 'Eine unvollständige Antwort',
      text: () => 'Die Antwort des Anbieters ist unvollständig oder nicht die erwartete.',
      remedy: () => 'Beginnen Sie in der Anwendung noch einmal.',
    },
    not_found: {
      title: 'Diesen Link gibt es nicht',
      text: () => 'Dieser Link existiert nicht oder wird nicht mehr aufbewahrt.',
      remedy: () => 'Beginnen Sie in der Anwendung noch einmal und öffnen Sie den ganzen Link.',
    },
    invalid_request: {
      title: 'Das war nicht lesbar',
      text: () => 'Was Ihr Browser gesendet hat, war nicht lesbar.',
      remedy: () => 'Gehen Sie zurück, laden Sie die Seite neu und versuchen Sie es noch einmal.',
    },
    body_too_large: {
      title: 'Das ist zu lang',
      text: () => 'Das ist mehr, als in dieses Formular passt.',
      remedy: () => 'Gehen Sie zurück und versuchen Sie es noch einmal.',
    },
    rate_limited: {
      title: 'Zu viele Versuche',
      text: () => 'Aus Ihrem Netz kamen mehr Anfragen, als wir in einer Minute annehmen.',
      remedy: () => 'Warten Sie eine Minute und laden Sie die Seite dann neu.',
    },
    internal_error: {
      title: 'Ein Fehler bei uns',
      text: () => 'Bei uns ist etwas schiefgegangen.',
      remedy: () => 'Versuchen Sie es in einigen Minuten noch einmal.',
    },
  },
};

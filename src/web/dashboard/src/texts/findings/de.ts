import type { EvidenceLabels, FindingTexts } from './finding-texts.ts';

export const findings: FindingTexts = {
  provider_missing: [
    'Anbieter nicht im Katalog',
    'Der Katalog kennt den Anbieter {provider} nicht mehr.',
    'Stellen Sie seine Datei in CATALOG_DIR oder den eigenen Anbieter des Projekts wieder her, oder löschen Sie die Integration.',
  ],
  provider_ended: [
    'Anbieter eingestellt',
    '{provider}, oder der Teil davon, für den dieser Eintrag steht, gibt es nicht mehr.',
    'Was an seine Stelle tritt, steht in den Hinweisen zum Anbieter. Stellen Sie die Benutzer dorthin um.',
  ],
  provider_partner_only: [
    'Nur für Partner',
    '{provider} lässt nur Anwendungen seiner Partner zu.',
    'Bitten Sie {provider}, die Anwendung zuzulassen, falls das noch nicht geschehen ist.',
  ],
  provider_sign_in_only: [
    'Nur zur Anmeldung',
    'Tokens von {provider} sagen, wer jemand ist, und öffnen keine weitere API.',
    'Nutzen Sie ihn, um zu erfahren, wer sich verbindet; für Daten wählen Sie einen anderen Anbieter.',
  ],
  provider_limited: [
    'Eingeschränkter Anbieter',
    '{provider} gibt neuen Anwendungen nicht alles.',
    'Lesen Sie die Hinweise zum Anbieter, bevor Benutzer von ihm abhängen.',
  ],
  client_accepted: [
    'Client angenommen',
    '{provider} nimmt Client-ID und Client-Secret an.',
    'Nichts zu tun.',
  ],
  client_not_needed: [
    'Kein Client zu prüfen',
    '{provider} arbeitet mit eigenen Zugangsdaten jedes Nutzers; die Integration hat dort keinen Client.',
    'Nichts zu tun.',
  ],
  client_unprovable: [
    'Client nicht beweisbar',
    '{provider} sagt nicht, ob Client-ID und Client-Secret stimmen ({reason}).',
    'Verbinden Sie ein Testkonto: Das ist der Beweis, der bleibt.',
  ],
  client_not_checked: [
    'Client noch nicht geprüft',
    'Das Gateway hat {provider} in letzter Zeit nicht gefragt, ob es den Client annimmt.',
    'Prüfen Sie als Inhaber oder Admin des Projekts noch einmal.',
  ],
  client_secret_missing: [
    'Client-Secret fehlt',
    'Die Integration hat kein lesbares Client-Secret, und {provider} verlangt eines.',
    'Setzen Sie das Client-Secret der Integration auf das der App bei {provider}.',
  ],
  client_secret_refused: [
    'Falsches Client-Secret',
    '{provider} lehnt das Client-Secret ab.',
    'Kopieren Sie das Client-Secret der App bei {provider} noch einmal, oder erzeugen Sie dort ein neues, und tragen Sie es hier ein. Achten Sie darauf, dass es der Wert des Secrets ist und nicht seine ID.',
  ],
  client_key_refused: [
    'Falscher Schlüssel',
    '{provider} lehnt ab, was mit dem Schlüssel der Integration signiert wurde: {variable}.',
    'Erzeugen Sie bei {provider} einen Schlüssel für dieselbe App und setzen Sie ihn als diese Variable der Integration. Der Schlüssel einer anderen App oder ein dort gelöschter wird abgelehnt, auch wenn Client-ID und Client-Secret stimmen.',
  ],
  client_secret_older_used: [
    'Nur das ältere Client-Secret funktioniert',
    '{provider} lehnt das neuere Client-Secret ab und nimmt das vorige an, das das Gateway bald nicht mehr benutzt.',
    'Kopieren Sie das neuere Secret der App bei {provider} noch einmal und tragen Sie es als Client-Secret ein.',
  ],
  client_secret_expired: [
    'Client-Secret abgelaufen',
    'Das Client-Secret bei {provider} ist abgelaufen.',
    'Erzeugen Sie ein neues Secret für die App bei {provider}, tragen Sie es ein und notieren Sie sein Ende.',
  ],
  client_secret_expires_soon: [
    'Client-Secret läuft bald ab',
    'Das Client-Secret läuft am {expiresAt} ab.',
    'Erzeugen Sie vorher ein neues Secret für die App bei {provider} und tragen Sie es ein; sieben Tage lang werden beide versucht.',
  ],
  client_id_unknown: [
    'Falsche Client-ID',
    '{provider} kennt keine App mit dieser Client-ID.',
    'Vergleichen Sie die Client-ID der Integration mit der App bei {provider}: eine andere App, eine andere Umgebung oder ein Leerzeichen am Ende.',
  ],
  client_refused: [
    'Client abgelehnt',
    '{provider} lehnt den Client ab und sagt nicht, ob ID oder Secret falsch ist.',
    'Kopieren Sie Client-ID und Client-Secret der App bei {provider} noch einmal und tragen Sie beide ein.',
  ],
  region_wrong: [
    'Falsche Region',
    'Der Client ist nicht in der Region „{region}“ von {provider} registriert, sondern in „{otherRegion}“.',
    'Setzen Sie die Variable „{variable}“ der Integration auf „{otherRegion}“.',
  ],
  tenant_wrong: [
    'Falscher Mandant',
    '{provider} kennt keinen solchen Mandanten, oder die App gehört nicht zu ihm.',
    'Vergleichen Sie die Variablen der Integration (Mandant, Subdomain, Organisation) mit der Adresse, an der man sich anmeldet, und prüfen Sie, in welchem Mandanten die App registriert ist.',
  ],
  redirect_url_refused: [
    'Redirect-URL nicht registriert',
    '{provider} lehnt die Redirect-URL {redirectUrl} ab.',
    'Registrieren Sie genau {redirectUrl} als Redirect-URL der App bei {provider}: Schema, Host, Port und Pfad, ohne Schrägstrich am Ende.',
  ],
  scopes_refused: [
    'Scopes abgelehnt',
    '{provider} lehnt die verlangten Scopes ab: unbekannt, oder mehr als die App haben darf.',
    'Entfernen Sie Scopes, die die App bei {provider} nicht hat, oder geben Sie sie ihr dort. Verlangt wird: {scopes}.',
  ],
  scope_not_granted: [
    'Ein Scope wird nicht gewährt',
    '{provider} hat {scopes} nicht gewährt.',
    'Geben Sie der App bei {provider} die Scopes, bitten Sie die Nutzer, alle Berechtigungen angehakt zu lassen, oder verlangen Sie Entbehrliches nur optional. Bestehende Verbindungen müssen neu autorisiert werden.',
  ],
  scope_not_asked: [
    'Mehr Scopes gewährt als verlangt',
    '{provider} gewährt {scopes}, was die Integration nicht verlangt.',
    'Nehmen Sie der App bei {provider}, was sie nicht braucht, oder führen Sie es in den Scopes der Integration auf.',
  ],
  app_unverified: [
    'App nicht freigegeben',
    '{provider} kennt die App und lässt sie keine Konten verbinden: nicht verifiziert, nicht veröffentlicht oder gesperrt.',
    'Reichen Sie die App bei {provider} zur Prüfung ein, veröffentlichen Sie sie, oder tragen Sie die Nutzer als Tester ein; prüfen Sie, ob der Authorization Code Grant eingeschaltet ist.',
  ],
  app_needs_admin: [
    'Ein Administrator muss die App freigeben',
    'Organisationen bei {provider} lassen nur ihre Administratoren die App freigeben, oder sperren sie.',
    'Senden Sie den Administratoren dieser Organisationen den Link zur Freigabe, oder verlangen Sie weniger Scopes.',
  ],
  authorization_refused: [
    'Autorisierungsanfrage abgelehnt',
    '{provider} konnte mit der Autorisierungsanfrage nichts anfangen.',
    'Vergleichen Sie Parameter, Scopes und Variablen der Integration mit der Dokumentation von {provider}.',
  ],
  provider_down: [
    'Anbieter gestört',
    '{origin} von {provider} ist nicht erreichbar oder antwortet mit einem eigenen Fehler.',
    'Sehen Sie nach, ob {provider} eine Störung meldet. Wenn nicht, prüfen Sie Netzwerk und Firewall des Gateways.',
  ],
  provider_name_unresolved: [
    'Name des Anbieters nicht gefunden',
    'Der Name in {origin} von {provider} hat keine Adresse.',
    'Prüfen Sie die Nameserver des Gateways und die Variablen, die Teil des Hostnamens sind.',
  ],
  provider_tls_broken: [
    'TLS des Anbieters defekt',
    'Keine sichere Verbindung zu {origin} von {provider}: Das Zertifikat oder TLS wird nicht angenommen.',
    'Warten Sie, bis {provider} sein Zertifikat in Ordnung bringt. Wo ein Proxy TLS prüft, geben Sie dem Gateway dessen Zertifikat mit NODE_EXTRA_CA_CERTS; prüfen Sie die Uhr des Gateways.',
  ],
  client_certificate_refused: [
    'Client-Zertifikat abgelehnt',
    '{origin} von {provider} bricht den TLS-Handshake ab: Das Client-Zertifikat wird nicht angenommen, oder es wird eines verlangt und keines gezeigt.',
    'Vergleichen Sie das Zertifikat mit dem, das {provider} ausgestellt oder registriert hat: Geben Sie die ganze Kette an, und eines, das noch gilt. Ein Zertifikat des Betreibers steht in den Variablen der Integration, das eines Benutzers wird durch erneutes Verbinden ersetzt.',
  ],
  client_certificate_unusable: [
    'Kein brauchbares Client-Zertifikat',
    '{provider} wird mit einem Client-Zertifikat aufgerufen, und die Integration hat keines mit seinem privaten Schlüssel.',
    'Setzen Sie Zertifikat und privaten Schlüssel in den Variablen der Integration, beide in PEM, und die Passphrase eines verschlüsselten Schlüssels.',
  ],
  client_certificate_expired: [
    'Client-Zertifikat abgelaufen',
    'Das Client-Zertifikat für {provider} ist am {expiresAt} abgelaufen.',
    'Lassen Sie von {provider} ein neues Zertifikat ausstellen oder registrieren, und setzen Sie es mit seinem privaten Schlüssel in den Variablen der Integration.',
  ],
  client_certificate_expires_soon: [
    'Client-Zertifikat läuft bald ab',
    'Das Client-Zertifikat für {provider} läuft am {expiresAt} ab.',
    'Lassen Sie vorher von {provider} ein neues Zertifikat ausstellen oder registrieren, und setzen Sie es mit seinem privaten Schlüssel in den Variablen der Integration.',
  ],
  provider_timeout: [
    'Anbieter antwortet nicht',
    '{origin} von {provider} nimmt die Verbindung an und antwortet nicht rechtzeitig.',
    'Sehen Sie nach, ob {provider} eine Störung meldet; prüfen Sie Proxys und Firewalls dazwischen.',
  ],
  provider_slow: [
    'Anbieter langsam',
    '{origin} von {provider} brauchte {seconds} s für eine Antwort.',
    'Sehen Sie nach, ob {provider} eine Störung meldet. Aufrufe, deren Token erneuert werden muss, warten ebenso lange.',
  ],
  provider_address_refused: [
    'Adresse des Anbieters nicht erlaubt',
    '{origin} von {provider} ist keine öffentliche https-Adresse.',
    'Berichtigen Sie die Adresse des Anbieters oder die Variablen darin. In der Entwicklung lässt ALLOW_PRIVATE_NETWORKS sie zu.',
  ],
  clock_off: [
    'Uhr geht falsch',
    'Die Uhr des Gateways weicht von der von {provider} um {seconds} s ab.',
    'Lassen Sie NTP die Uhr des Rechners stellen. Bis dahin werden Tokens abgelehnt oder zu früh erneuert.',
  ],
  public_url_differs: [
    'Browser benutzen eine andere Adresse',
    'Browser öffnen das Gateway unter {hosts}, und PUBLIC_URL ist {publicUrl}.',
    'Setzen Sie PUBLIC_URL auf die Adresse, die benutzt wird, und TRUST_PROXY, wo ein Reverse Proxy den Host weitergibt; registrieren Sie dann die neuen Redirect-URLs bei den Anbietern.',
  ],
  origin_not_allowed: [
    'Origin nicht erlaubt',
    'Seiten von {origins} fragen das Gateway und werden abgelehnt: Das Projekt erlaubt sie nicht.',
    'Nehmen Sie den Origin genau so, wie er hier steht, in die erlaubten Origins des Projekts auf, wenn die Seiten Ihre sind.',
  ],
  return_url_not_registered: [
    'Rückkehr-URL nicht eingetragen',
    'Die Anwendung will Nutzer zurück unter {urls}, was das Projekt nicht aufführt.',
    'Tragen Sie genau diese URL in die Rückkehr-URLs des Projekts ein, oder lassen Sie die Anwendung eine eingetragene senden.',
  ],
  sign_ins_denied: [
    'Nutzer lehnen ab',
    '{count} Anmeldungen der letzten Tage endeten, weil der Zugriff nicht gewährt wurde.',
    'Erklären Sie Nutzern, wofür die Berechtigungen sind, und verlangen Sie nicht mehr als nötig.',
  ],
  sign_ins_not_returning: [
    'Nutzer kommen nicht zurück',
    '{count} Nutzer wurden in den letzten Tagen zu {provider} geschickt, und keiner kam zurück.',
    'Versuchen Sie es mit einem Testkonto. {provider} zeigt dann meist eine eigene Fehlerseite: eine nicht verifizierte App, eine nicht registrierte Redirect-URL oder eine falsche Client-ID.',
  ],
  sign_ins_abandoned: [
    'Nutzer brechen am Formular ab',
    '{count} Anmeldungen der letzten Tage wurden geöffnet und endeten, bevor {provider} gefragt wurde.',
    'Sagen Sie Nutzern in Ihrer Anwendung, wonach das Formular fragt und wo sie es finden.',
  ],
  sign_in_interrupted: [
    'Anmeldung unterbrochen',
    'Die Anmeldung dauerte zu lange, wurde in einem anderen Browser geöffnet oder war schon erledigt.',
    'Beginnen Sie neu in der Anwendung, und bleiben Sie in einem Browser.',
  ],
  sign_in_other_account: [
    'Anderes Konto',
    'Der Nutzer hat sich mit einem anderen Konto bei {provider} angemeldet als dem zuvor verbundenen.',
    'Melden Sie sich mit demselben Konto an, oder trennen Sie jenes zuerst.',
  ],
  provider_setup_missing: [
    'Beim Anbieter ist noch etwas zu tun',
    '{provider} kennt die Zugangsdaten von Anmeldungen, aber dort ist noch nicht erlaubt worden, dass sie so handeln. Der Beleg sagt, was noch zu tun ist, und wo.',
    'Tun Sie bei {provider}, was der Beleg sagt, und verbinden Sie dann noch einmal.',
  ],
  credentials_refused: [
    'Zugangsdaten des Nutzers abgelehnt',
    '{provider} lehnt die Zugangsdaten ab, die der Nutzer eingegeben hat.',
    'Bitten Sie den Nutzer, sie noch einmal zu kopieren.',
  ],
  sign_ins_failing: [
    'Anmeldungen schlagen fehl',
    '{provider} beendet Anmeldungen mit einem Fehler.',
    'Sehen Sie die Worte des Anbieters unten und die Aktivität der Anfrage an; versuchen Sie es mit einem Testkonto.',
  ],
  connection_works: [
    'Verbindung funktioniert',
    '{provider} nimmt die Zugangsdaten der Verbindung an.',
    'Nichts zu tun.',
  ],
  connection_unprovable: [
    'Verbindung nicht beweisbar',
    'Der Katalog kennt keinen harmlosen Aufruf von {provider}, der die Zugangsdaten beweist ({reason}).',
    'Machen Sie durch den Proxy einen Aufruf, der nichts ändert.',
  ],
  credential_not_accepted: [
    'Zugangsdaten nicht angenommen',
    '{provider} lehnt die Zugangsdaten von {count} Verbindungen ab, und sie lassen sich nicht erneuern.',
    'Lassen Sie die Nutzer dieselben Verbindungen neu verbinden.',
  ],
  calls_refused: [
    'Aufrufe abgelehnt',
    '{provider} lehnt Aufrufe von {count} Verbindungen ab, deren Zugangsdaten sich nicht erneuern lassen; ob sie am Ende sind, ist nicht erwiesen.',
    'Testen Sie eine solche Verbindung, oder rufen Sie etwas auf, das ihr Konto sicher darf. Wird auch das abgelehnt, lassen Sie den Nutzer dieselbe Verbindung neu verbinden.',
  ],
  refresh_refused: [
    'Erneuerung abgelehnt',
    '{provider} lehnt die Refresh-Tokens von {count} Verbindungen ab und sagt nicht, dass Nutzer sie widerrufen haben.',
    'Lassen Sie die Nutzer neu autorisieren. Wenn es viele betrifft: Prüfen Sie bei {provider}, wie lange Refresh-Tokens leben, ob die App geändert wurde und ob ein anderes System dieselben Tokens benutzt.',
  ],
  grant_revoked: [
    'Vom Nutzer widerrufen',
    '{provider} sagt, dass der Zugriff für {count} Verbindungen zurückgenommen wurde.',
    'Lassen Sie den Nutzer dieselbe Verbindung neu autorisieren, wenn das nicht gewollt war.',
  ],
  refresh_failing: [
    'Erneuerungen schlagen fehl',
    'Die Access-Tokens von {count} Verbindungen lassen sich zurzeit nicht erneuern; das Gateway versucht es weiter.',
    'Sehen Sie nach, ob {provider} eine Störung meldet; nichts geht verloren, solange die Refresh-Tokens gut sind.',
  ],
  refresh_slow: [
    'Erneuerung langsam',
    '{provider} hat die Erneuerung von {count} Verbindungen nicht rechtzeitig beantwortet.',
    'Sehen Sie nach, ob {provider} eine Störung meldet. TOKEN_REQUEST_TIMEOUT_MS gibt Token-Anfragen mehr Zeit; ein einmaliges Refresh-Token kann verbraucht sein, wenn seine Antwort verloren geht.',
  ],
  webhook_secret_wrong: [
    'Falsches Webhook-Secret',
    '{count} Webhooks von {provider} trugen eine Signatur, die nicht zum Webhook-Secret passt.',
    'Kopieren Sie das Signatur-Secret der Webhooks bei {provider} und tragen Sie es als Webhook-Secret der Integration ein.',
  ],
  webhook_never_came: [
    'Nie kam ein Webhook',
    '{provider} hat noch keinen Webhook an {webhookUrl} gesendet.',
    'Registrieren Sie genau {webhookUrl} für die gewünschten Ereignisse bei {provider}, prüfen Sie, ob die Adresse aus dem Internet erreichbar ist, und ändern Sie dort etwas.',
  ],
  project_storage_full: [
    'Das Projekt bewahrt so viel auf, wie es darf',
    'Abfragen des Projekts ruhen, und seine Webhooks werden mit 503 und dem Code project_storage_full beantwortet.',
    'Löschen Sie Abfragen, die mehr lesen als nötig, und Ziele und Webhooks, die niemand liest. Was älter ist als seine Aufbewahrung, macht von selbst Platz; wer das Gateway betreibt, kann PROJECT_STORAGE_MIB_MAX und PROJECT_STORAGE_ROWS_MAX erhöhen.',
  ],
};

export const evidenceLabels: EvidenceLabels = {
  'Authorization endpoint': 'Autorisierungs-Endpunkt',
  Catalog: 'Katalog',
  Connection: 'Verbindung',
  Date: 'Datum',
  'Failed sign-in': 'Fehlgeschlagene Anmeldung',
  Failure: 'Fehler',
  'Noted end': 'Notiertes Ende',
  'End of the certificate': 'Ende des Zertifikats',
  'Our clock is ahead by': 'Unsere Uhr geht vor um',
  'Our clock is ahead of the database’s by': 'Unsere Uhr geht der Datenbank vor um',
  'Provider’s words': 'Worte des Anbieters',
  'Return URL': 'Rückkehr-URL',
  'Signatures refused': 'Abgelehnte Signaturen',
  'Token endpoint': 'Token-Endpunkt',
};

import type { Texts } from '../area-texts.ts';

export const signIn: Texts['signIn'] = {
  title: 'Anmelden',
  lead: 'Integrationen und Verbindungen verwalten.',
  email: 'E-Mail',
  password: 'Passwort',
  showPassword: 'Passwort zeigen',
  submit: 'Anmelden',
  otpTitle: 'Zweiter Faktor',
  otpLead:
    'Geben Sie die sechs Ziffern Ihrer Authenticator-App ein oder einen Ihrer Wiederherstellungscodes.',
  otp: 'Code',
  otpSubmit: 'Weiter',
  singleSignOn: 'Mit Single Sign-on anmelden',
  or: 'oder',
  forgotten: 'Passwort vergessen?',
  forgottenTitle: 'Passwort zurücksetzen',
  forgottenLead: 'Wir senden einen Link an diese Adresse, wenn sie zu einem Operator gehört.',
  forgottenSubmit: 'Link senden',
  forgottenSent: (email) => `Wenn ${email} zu einem Operator gehört, ist ein Link unterwegs.`,
  forgottenNoMail:
    'Dieses Gateway sendet keine E-Mails. Auf seinem Server gibt dieser Befehl einen Link aus:',
  notSetUpTitle: 'Noch nicht eingerichtet',
  notSetUpText: 'Öffnen Sie den Link, den das Gateway beim Start ausgegeben hat. Er sieht so aus:',
  ended: 'Ihre Sitzung ist abgelaufen. Melden Sie sich an, um an derselben Stelle weiterzumachen.',
  errors: {
    single_sign_on_link_needed:
      'Es gibt einen Operator mit dieser E-Mail-Adresse. Melden Sie sich in diesem Browser einmal mit dem Passwort an; das verknüpft das Konto.',
    email_unverified:
      'Ihr Identitätsanbieter hat diese E-Mail-Adresse nicht bestätigt. Bitten Sie seinen Administrator darum.',
    domain_not_allowed:
      'Dieses Gateway nimmt keine Konten dieser E-Mail-Domain an. Ein Inhaber kann Sie einladen.',
    not_set_up:
      'Das Gateway ist noch nicht eingerichtet. Öffnen Sie den Link, den es beim Start ausgegeben hat.',
    single_sign_on_expired:
      'Es hat zu lange gedauert oder wurde in einem anderen Browser begonnen. Versuchen Sie es noch einmal.',
    single_sign_on_failed:
      'Der Identitätsanbieter hat abgelehnt oder etwas Unbrauchbares geantwortet. Mehr steht im Log des Gateways.',
    single_sign_on_unavailable:
      'Der Identitätsanbieter antwortet nicht. Versuchen Sie es später oder melden Sie sich mit dem Passwort an.',
    other: (code) => `Single Sign-on hat nicht funktioniert (${code}).`,
  },
};

export const setup: Texts['setup'] = {
  title: 'Gateway einrichten',
  lead: 'Sie werden Inhaber. Andere können danach eingeladen werden.',
  token: 'Einrichtungs-Token',
  tokenHint: 'Das Gateway gibt es beim Start aus, oder es steht in SETUP_TOKEN.',
  passwordHint: 'Mindestens 12 Zeichen.',
  projectName: 'Projekt',
  projectHint: 'Meist der Name Ihrer Anwendung. Er lässt sich später ändern.',
  projectDefault: 'Mein Projekt',
  submit: 'Inhaber und Projekt anlegen',
  alreadyTitle: 'Schon eingerichtet',
  alreadyText: 'Dieses Gateway hat einen Inhaber. Melden Sie sich an, oder bitten Sie ihn um eine Einladung.',
};

export const invitation: Texts['invitation'] = {
  title: (project) => `${project} beitreten`,
  loadingTitle: 'Einladung',
  lead: (email, role) => `${email} ist eingeladen als ${role}.`,
  name: 'Ihr Name',
  choosePassword: 'Passwort wählen',
  existing: 'Sie haben ein Konto mit dieser E-Mail-Adresse. Geben Sie dessen Passwort ein, um beizutreten.',
  signedInAs: 'Sie sind mit diesem Konto angemeldet.',
  submit: 'Projekt beitreten',
  missing: 'Dieser Link ist unvollständig. Öffnen Sie ihn noch einmal so, wie er Ihnen geschickt wurde.',
};

export const resetPassword: Texts['resetPassword'] = {
  title: 'Neues Passwort wählen',
  password: 'Neues Passwort',
  submit: 'Speichern und anmelden',
  missing: 'Dieser Link ist unvollständig. Öffnen Sie ihn noch einmal so, wie er Ihnen geschickt wurde.',
};

import type { Mail } from '../../platform/mailer.ts';
import { quoteText } from './quote-text.ts';

type Written = Pick<Mail, 'subject' | 'text'>;
type Invitation = {
  readonly project: string;
  /** The e-mail address of who invites. */
  readonly inviter: string;
  readonly url: string;
};

type TokenFacts = {
  readonly name: string;
  readonly at: Date;
  /** Where the request came from. */
  readonly address: string;
  /** Of the page with the operator's tokens. */
  readonly url: string;
};

type Texts = {
  invitation(facts: Invitation): Written;
  passwordReset(facts: { readonly url: string }): Written;
  tokenCreated(facts: TokenFacts): Written;
};

const EN: Texts = {
  invitation: ({ project, inviter, url }) => ({
    subject: 'Invitation to a project',
    text: `${inviter} invites you to a project of Integration Gateway. Its members call it ${quoteText(project)}.

Open this link to accept. It works once, for seven days:
${url}

If you did not expect this, ignore it.
`,
  }),
  passwordReset: ({ url }) => ({
    subject: 'Set a new password',
    text: `Open this link to set a new password for Integration Gateway. It works once, for an hour:
${url}

If you did not ask for it, ignore this mail: your password stays as it is.
`,
  }),
  tokenCreated: ({ name, at, address, url }) => ({
    subject: 'A personal access token was created',
    text: `A personal access token was created for your account of Integration Gateway.

Name: ${quoteText(name)}
Time: ${at.toISOString()}
From the address: ${address}

If it was not you, revoke it and change your password at once:
${url}
`,
  }),
};

const DE: Texts = {
  invitation: ({ project, inviter, url }) => ({
    subject: 'Einladung zu einem Projekt',
    text: `${inviter} lädt Sie zu einem Projekt von Integration Gateway ein. Seine Mitglieder nennen es ${quoteText(project)}.

Öffnen Sie diesen Link, um die Einladung anzunehmen. Er gilt einmal, sieben Tage lang:
${url}

Wenn Sie das nicht erwartet haben, brauchen Sie nichts zu tun.
`,
  }),
  passwordReset: ({ url }) => ({
    subject: 'Neues Passwort festlegen',
    text: `Öffnen Sie diesen Link, um ein neues Passwort für Integration Gateway festzulegen. Er gilt einmal, eine Stunde lang:
${url}

Wenn Sie das nicht angefordert haben, brauchen Sie nichts zu tun: Ihr Passwort bleibt, wie es ist.
`,
  }),
  tokenCreated: ({ name, at, address, url }) => ({
    subject: 'Ein persönliches Zugriffstoken wurde erstellt',
    text: `Für Ihr Konto bei Integration Gateway wurde ein persönliches Zugriffstoken erstellt.

Name: ${quoteText(name)}
Zeit: ${at.toISOString()}
Von der Adresse: ${address}

Wenn Sie das nicht waren, widerrufen Sie es und ändern Sie sofort Ihr Passwort:
${url}
`,
  }),
};

const ES: Texts = {
  invitation: ({ project, inviter, url }) => ({
    subject: 'Invitación a un proyecto',
    text: `${inviter} le invita a un proyecto de Integration Gateway. Sus miembros lo llaman ${quoteText(project)}.

Abra este enlace para aceptar. Sirve una vez, durante siete días:
${url}

Si no lo esperaba, no haga nada.
`,
  }),
  passwordReset: ({ url }) => ({
    subject: 'Establecer una nueva contraseña',
    text: `Abra este enlace para establecer una nueva contraseña de Integration Gateway. Sirve una vez, durante una hora:
${url}

Si no lo ha pedido, no haga nada: su contraseña sigue siendo la misma.
`,
  }),
  tokenCreated: ({ name, at, address, url }) => ({
    subject: 'Se ha creado un token de acceso personal',
    text: `Se ha creado un token de acceso personal para su cuenta de Integration Gateway.

Nombre: ${quoteText(name)}
Hora: ${at.toISOString()}
Desde la dirección: ${address}

Si no ha sido usted, revóquelo y cambie su contraseña de inmediato:
${url}
`,
  }),
};

const LANGUAGES: Readonly<Record<string, Texts>> = { en: EN, de: DE, es: ES };

/** The mails to operators in their language, English where it is unknown. */
export function operatorMails(language: string | null | undefined): Texts {
  return LANGUAGES[language ?? 'en'] ?? EN;
}

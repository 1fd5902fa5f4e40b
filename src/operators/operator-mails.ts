import type { Mail } from '../platform/mailer.ts';

type Written = Pick<Mail, 'subject' | 'text'>;
type Invitation = { readonly project: string; readonly inviter: string; readonly url: string };

type Texts = {
  invitation(facts: Invitation): Written;
  passwordReset(facts: { readonly url: string }): Written;
};

const EN: Texts = {
  invitation: ({ project, inviter, url }) => ({
    subject: `Invitation to the project ${project}`,
    text: `${inviter} invites you to the project ${project} of Integration Gateway.

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
};

const DE: Texts = {
  invitation: ({ project, inviter, url }) => ({
    subject: `Einladung zum Projekt ${project}`,
    text: `${inviter} lädt Sie zum Projekt ${project} von Integration Gateway ein.

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
};

const ES: Texts = {
  invitation: ({ project, inviter, url }) => ({
    subject: `Invitación al proyecto ${project}`,
    text: `${inviter} le invita al proyecto ${project} de Integration Gateway.

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
};

const LANGUAGES: Readonly<Record<string, Texts>> = { en: EN, de: DE, es: ES };

/** The mails to operators in their language, English where it is unknown. */
export function operatorMails(language: string | null | undefined): Texts {
  return LANGUAGES[language ?? 'en'] ?? EN;
}

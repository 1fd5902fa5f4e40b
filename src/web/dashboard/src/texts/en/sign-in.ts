/** The pages before the sign-in. */
export const texts = {
  title: 'Sign in',
  lead: 'Manage integrations and connections.',
  email: 'E-mail',
  password: 'Password',
  showPassword: 'Show password',
  submit: 'Sign in',
  otpTitle: 'Second factor',
  otpLead: 'Enter the six digits that your authenticator app shows, or one of your recovery codes.',
  otp: 'Code',
  otpSubmit: 'Continue',
  singleSignOn: 'Sign in with single sign-on',
  or: 'or',
  forgotten: 'Forgot your password?',
  forgottenTitle: 'Reset your password',
  forgottenLead: 'We send a link to this address if it belongs to an operator.',
  forgottenSubmit: 'Send link',
  forgottenSent: (email: string) => `If ${email} belongs to an operator, a link is on its way.`,
  forgottenNoMail: 'This gateway sends no e-mail. On its server, this prints a link for you:',
  notSetUpTitle: 'Not set up yet',
  notSetUpText: 'Open the link that the gateway printed when it started. It looks like this:',
  errors: {
    single_sign_on_link_needed:
      'An operator with this e-mail exists. Sign in with the password in this browser once; that links the account.',
    email_unverified: 'Your identity provider has not verified this e-mail. Ask its administrator to do so.',
    domain_not_allowed: 'This gateway takes no accounts of this e-mail domain. An owner can invite you.',
    not_set_up: 'The gateway is not set up yet. Open the link that it printed when it started.',
    single_sign_on_expired: 'It took too long, or was begun in another browser. Try again.',
    single_sign_on_failed:
      'The identity provider refused, or answered something unusable. The log of the gateway says more.',
    single_sign_on_unavailable:
      'The identity provider does not answer. Try again later, or sign in with the password.',
    other: (code: string) => `Single sign-on did not work (${code}).`,
  },

  setup: {
    title: 'Set up the gateway',
    lead: 'You become the owner. Others can be invited afterwards.',
    token: 'Set-up token',
    tokenHint: 'The gateway prints it when it starts, or it stands in SETUP_TOKEN.',
    passwordHint: '12 characters or more.',
    projectName: 'Project',
    projectHint: 'Usually the name of your application. You can change it later.',
    projectDefault: 'My project',
    submit: 'Create owner and project',
    alreadyTitle: 'Already set up',
    alreadyText: 'This gateway has an owner. Sign in, or ask the owner for an invitation.',
  },

  invitation: {
    title: (project: string) => `Join ${project}`,
    loadingTitle: 'Invitation',
    lead: ({ email, role }: { email: string; role: string }) => `${email} is invited as ${role}.`,
    name: 'Your name',
    choosePassword: 'Choose a password',
    existing: 'You have an account with this e-mail. Enter its password to join.',
    signedInAs: 'You are signed in with this account.',
    submit: 'Join project',
    missing: 'This link is incomplete. Open it again as it was sent to you.',
  },

  resetPassword: {
    title: 'Choose a new password',
    password: 'New password',
    submit: 'Save and sign in',
    missing: 'This link is incomplete. Open it again as it was sent to you.',
  },
};

declare module '../area-texts.ts' {
  interface AreaTexts {
    'sign-in': typeof texts;
  }
}

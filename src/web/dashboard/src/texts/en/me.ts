/** The operator’s own profile, sessions and tokens. */
export const texts = {
  title: 'Profile and security',
  profile: 'Profile',
  name: 'Name',
  languageOfBrowser: 'As the browser asks',
  passwordLead: 'Changing it ends your other sessions.',
  currentPassword: 'Current password',
  changePassword: 'Change password',
  passwordChanged: 'Password changed',
  secondFactor: 'Second factor',
  secondFactorLead: 'A code of your authenticator app, asked for after the password.',
  on: 'On',
  off: 'Off',
  switchOn: 'Switch on',
  switchOff: 'Switch off',
  switchedOn: 'Second factor is on',
  switchedOff: 'Second factor is off',
  withoutPassword:
    'With single sign-on your identity provider asks for its own second factor. This one counts when you sign in with a password.',
  continueEnrolment: 'Continue',
  qrCode: 'QR code for your authenticator app',
  scan: 'Scan the code with your authenticator app, or type this into it:',
  recoveryCodes: 'Keep these recovery codes somewhere safe. Each works once when you do not have the app:',
  firstCode: 'Code that the app shows now',
  sessions: 'Sessions',
  sessionsLead: 'Where you are signed in.',
  browser: 'Browser',
  address: 'Address',
  lastUsed: 'Last used',
  signedIn: 'Signed in',
  thisSession: 'This one',
  endSession: 'End',
  tokens: 'Personal access tokens',
  tokensLead: 'For scripts that act in your name. They may do whatever you may.',
  noTokens: 'You have no tokens.',
  createToken: 'Create token',
  endTokens: (count: number) =>
    count === 1 ? 'End your personal access token too' : `End your ${count} personal access tokens too`,
  tokensUnverified:
    'Your address is not verified, so that you get no tokens. A new password by a link verifies it.',
  tokenName: 'Name',
  tokenNameHint: 'Where it is used, such as “CI” or “laptop”.',
  tokenPrefix: 'Begins with',
  expires: 'Expires',
  days: (count: number) => `In ${count} days`,
  doesNotExpire: 'Never',
  tokenCreated: 'Token created',
  shownOnce: 'Copy it now: it is not shown again.',
  revokeToken: 'Revoke',
  revokeTitle: (name: string) => `Revoke token ${name}`,
  revokeUsed: 'Scripts that use this token stop working at once.',
  revokeUnused: 'This token was never used. It stops working at once.',
};

declare module '../area-texts.ts' {
  interface AreaTexts {
    me: typeof texts;
  }
}

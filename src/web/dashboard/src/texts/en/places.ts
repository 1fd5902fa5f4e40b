/** Pages, settings and actions as the search field knows them: each by its name, and by other words for what is there. */
export const texts = {
  home: { title: 'Home', words: 'start overview dashboard' },
  integrations: { title: 'Integrations', words: 'providers clients apps' },
  catalog: { title: 'New integration', words: 'catalog create add provider set up connect service' },
  connections: { title: 'Connections', words: 'accounts grants tokens' },
  events: { title: 'Events', words: 'stream feed changes' },
  stream: { title: 'Event stream', words: 'feed latest changes' },
  destinations: { title: 'Event destinations', words: 'webhooks out endpoints receivers create destination' },
  deliveries: { title: 'Deliveries', words: 'attempts retries redeliver failed' },
  webhooks: { title: 'Webhooks in', words: 'receipts inbound signatures' },
  polls: { title: 'Polls', words: 'polling backfill create poll schedule' },
  calls: { title: 'Calls', words: 'requests log errors latency proxy live tail' },
  mandates: { title: 'Mandates', words: 'rights permissions scopes agents tokens least privilege freeze' },
  'new-mandate': { title: 'New mandate', words: 'create add rights permissions' },
  approvals: { title: 'Approvals', words: 'approve refuse agents wait person consent' },
  console: { title: 'Console', words: 'try a call request test curl code' },
  activity: { title: 'Activity', words: 'audit log history who changed' },
  settings: { title: 'Settings', words: 'project preferences' },
  'project-settings': {
    title: 'Project settings',
    words: 'name allowed origins cors return urls redirect limits rate limit delete project',
  },
  branding: { title: 'Branding', words: 'logo colour color display name connect page look' },
  'api-keys': { title: 'API keys', words: 'create key secret rotate backend' },
  'signing-keys': { title: 'Signing keys', words: 'user tokens jwt jwks public key add key check a token' },
  revocations: { title: 'User revocations', words: 'revoke user tokens block sign out users' },
  users: { title: 'Users', words: 'end users erase export person' },
  organizations: {
    title: 'Organizations',
    words: 'customers tenants workspaces org quota limit calls a day',
  },
  members: { title: 'Members', words: 'invite invitations team roles owner admin viewer people' },
  configuration: { title: 'Configuration', words: 'files yaml git ci drift plan apply export managed' },
  me: {
    title: 'Profile and security',
    words:
      'account name e-mail password second factor two factor 2fa totp recovery codes sessions browsers personal access tokens invitations language',
  },
  gateway: {
    title: 'This gateway',
    words:
      'version status addresses store replicas owners of the gateway encryption keys rotation single sign-on sso settings retention public url',
  },
  'custom-providers': { title: 'Custom providers', words: 'own providers describe' },
  'new-custom-provider': { title: 'Describe a provider', words: 'custom provider create own api dry run' },
  'new-project': { title: 'New project', words: 'create project' },
  'theme-light': { title: 'Light theme', words: 'appearance mode bright' },
  'theme-dark': { title: 'Dark theme', words: 'appearance mode night' },
  'theme-auto': { title: 'Theme of the system', words: 'appearance mode automatic light dark' },
  keyboard: { title: 'Keyboard shortcuts', words: 'keys help' },
  documents: { title: 'Documents', words: 'docs guides help documentation' },
  'api-reference': { title: 'API reference', words: 'docs openapi documentation' },
  'error-codes': { title: 'Error codes', words: 'docs problems' },
  'sign-out': { title: 'Sign out', words: 'log out logout leave' },
};

declare module '../area-texts.ts' {
  interface AreaTexts {
    places: typeof texts;
  }
}

/** The page about this gateway. */
export const texts = {
  title: 'This gateway',
  lead: 'Version, addresses and what it runs on.',
  restoreHeld: 'Restored, and not resumed',
  restoreHeldText:
    'The gateway was started with RESTORED=true: nothing is refreshed, delivered or polled. Tokens that were rotated after the backup are spent.',
  restoreProbing: 'Connections are probed',
  restoreProbed: ({ probed, died }: { probed: number; died: number }) =>
    `Probed so far: ${probed}. Died: ${died}. Then the gateway goes on.`,
  restoreDied: 'Connections that the restore ended',
  restoreDiedLead: 'Their users have to authorize again.',
  restoreProvider: 'Provider',
  restoreConnection: 'Connection',
  restoreProject: 'Project',
  resume: 'Resume',
  resumeConfirm: 'Resume the gateway?',
  resumeProbes: 'Every connection is probed at its provider first, by a refresh where there is one.',
  resumeGoesOn: 'Then refreshing, delivering and polling go on, on every replica.',
  resumed: 'The gateway goes on once its connections are probed',
  addresses: 'Addresses',
  version: 'Version',
  publicUrl: 'Public address',
  proxyUrl: 'Proxy',
  callback: 'Redirect URL',
  startedAt: 'Started',
  store: 'Store',
  kind: 'Kind',
  embedded: 'Embedded Postgres',
  external: 'Postgres by DATABASE_URL',
  serverVersion: 'Server',
  migration: 'Newest migration',
  keys: 'Encryption keys',
  keysLead: 'The first key seals what is written. Older rows are sealed again in the background.',
  keyId: 'Key',
  keyRows: 'Sealed texts',
  keyState: 'State',
  counting: 'being counted',
  keyInUse: 'in use',
  keyRemovable: 'may be removed',
  keyRotating: 'being replaced',
  replicas: 'Replicas',
  replicasLead: 'Processes that share the store.',
  replica: 'Replica',
  settings: 'Settings',
  settingsLead: 'As the environment set them; no secrets.',
  owners: 'Owners of the gateway',
  ownersLead: 'They see this page whole. Owning a project is not enough.',
  ownerEmail: 'E-mail',
  ownerSince: 'Since',
  removeOwner: 'Remove',
  addOwner: 'Appoint owner',
  ownPassword: 'Your password',
  showPassword: 'Show password',
  ownersOnly: 'Store, keys, replicas and settings are shown to owners of the gateway.',
  otherAddress: 'You use another address than PUBLIC_URL',
  otherAddressText: ({ seen, publicUrl }: { seen: string; publicUrl: string }) =>
    `This page is at ${seen}, but PUBLIC_URL is ${publicUrl}. Providers and users are sent to PUBLIC_URL; set it to the address that browsers use.`,
  untrustedProxy: 'A reverse proxy is not trusted',
  untrustedProxyText: (address: string) =>
    `Requests come from ${address} with the address of another caller, and TRUST_PROXY does not name it. If that is your proxy, set TRUST_PROXY to its address or to the number of proxies in front: until then all callers share one rate limit, and the audit log has the address of the proxy.`,
};

declare module '../area-texts.ts' {
  interface AreaTexts {
    gateway: typeof texts;
  }
}

import type { Page } from 'playwright-core';
import type { SeededGateway } from './seeded-gateway.ts';

/** A page in a state that is worth a look. */
export type Shot = {
  readonly name: string;
  /** Its address, or what makes it: a link that works once. */
  readonly path: string | (() => Promise<string>);
  /** Seen without signing in. */
  readonly isPublic?: boolean;
  /** What to do before the picture: open a dialog, type. */
  readonly act?: (page: Page) => Promise<unknown>;
  /** The page down to its end, not the window alone; so without `act`. */
  readonly isWhole?: boolean;
  /** The browser's; English when left out. */
  readonly locale?: 'de-DE' | 'es-ES';
};

/** Every page of the dashboard, and those that users connect on; add a line for a new one. */
export function listShots(seeded: SeededGateway, sitesConnection: string): readonly Shot[] {
  const project = `/p/${seeded.projectId}`;
  return [
    ...entryShots(),
    ...integrationShots(seeded, project),
    ...connectionShots(seeded, project, sitesConnection),
    ...eventShots(seeded, project),
    ...callShots(project),
    ...settingShots(project),
    ...ownProviderShots(),
    ...frameShots(project),
    ...connectShots(seeded),
    ...translatedShots(seeded, project),
  ];
}

function entryShots(): Shot[] {
  return [
    { name: 'setup', path: '/setup#token', isPublic: true },
    { name: 'sign-in', path: '/sign-in', isPublic: true },
  ];
}

function integrationShots({ ids, emptyProjectId, providers }: SeededGateway, project: string): Shot[] {
  const created = `${project}/integrations/new`;
  return [
    { name: 'home', path: project },
    { name: 'home-first-days', path: `/p/${emptyProjectId}` },
    { name: 'integrations', path: `${project}/integrations` },
    { name: 'integrations-empty', path: `/p/${emptyProjectId}/integrations` },
    { name: 'catalog', path: created, act: () => Promise.resolve() },
    { name: 'catalog-search', path: created, act: (page) => page.getByRole('searchbox').fill('gogle shets') },
    { name: 'catalog-nothing', path: created, act: (page) => page.getByRole('searchbox').fill('qqqqqq') },
    { name: 'integration-new-hubspot', path: `${created}?provider=hubspot` },
    { name: 'integration-new-google', path: `${created}?provider=google-sheets` },
    { name: 'integration-new-salesforce', path: `${created}?provider=salesforce` },
    { name: 'integration-new-servicenow-jwt', path: `${created}?provider=servicenow&grant=jwt-bearer-flow` },
    { name: 'integration-new-zendesk', path: `${created}?provider=zendesk` },
    { name: 'integration-new-mcp', path: `${created}?provider=sanity` },
    { name: 'integration-new-key', path: `${created}?provider=custom:parcelbox` },
    { name: 'integration', path: `${project}/integrations/${ids.integration}` },
    { name: 'integration-mcp', path: `${project}/integrations/${providers.mcpIntegration}` },
    { name: 'integration-edit', path: `${project}/integrations/${ids.integration}`, act: press('Edit') },
    { name: 'integration-delete', path: `${project}/integrations/${ids.integration}`, act: press('Delete') },
  ];
}

function connectionShots({ ids }: SeededGateway, project: string, sitesConnection: string): Shot[] {
  return [
    { name: 'connections', path: `${project}/connections` },
    { name: 'connections-none-found', path: `${project}/connections?userId=nobody` },
    { name: 'connection', path: `${project}/connections/${ids.connection}` },
    {
      name: 'connection-delete',
      path: `${project}/connections/${ids.connection}`,
      act: async (page) => {
        await page.getByRole('button', { name: 'Actions', exact: true }).click();
        await page.getByRole('menuitem', { name: 'Delete' }).click();
        await page.getByRole('dialog').waitFor();
      },
    },
    {
      name: 'connection-tenants',
      path: `${project}/connections/${sitesConnection}`,
      act: async (page) => {
        await press('Change')(page);
        await page.getByRole('dialog').getByRole('radio').first().waitFor();
      },
    },
  ];
}

function eventShots({ ids, emptyProjectId }: SeededGateway, project: string): Shot[] {
  const events = `${project}/events`;
  return [
    { name: 'events', path: events },
    { name: 'events-event', path: `${events}?types=hubspot.*`, act: openFirstEntry },
    { name: 'events-empty', path: `/p/${emptyProjectId}/events` },
    { name: 'events-destinations-empty', path: `/p/${emptyProjectId}/events/destinations` },
    { name: 'events-destinations', path: `${events}/destinations` },
    { name: 'events-destination', path: `${events}/destinations`, act: openFailing, isWhole: true },
    { name: 'events-new-destination', path: `${events}/destinations`, act: press('Create destination') },
    { name: 'events-deliveries', path: `${events}/deliveries` },
    { name: 'events-deliveries-empty', path: `/p/${emptyProjectId}/events/deliveries` },
    { name: 'events-delivery', path: `${events}/deliveries?state=failed`, act: openFirstEntry },
    { name: 'events-webhooks', path: `${events}/webhooks?integrationId=${ids.integration}` },
    { name: 'events-webhooks-empty', path: `/p/${emptyProjectId}/events/webhooks` },
    { name: 'events-receipt', path: `${events}/webhooks?state=rejected`, act: openFirstEntry },
    { name: 'events-receipt-unmatched', path: `${events}/webhooks?state=unmatched`, act: openFirstEntry },
    { name: 'events-polls', path: `${events}/polls` },
    { name: 'events-polls-empty', path: `/p/${emptyProjectId}/events/polls` },
    { name: 'events-poll', path: `${events}/polls`, act: openPoll, isWhole: true },
    { name: 'events-new-poll', path: `${events}/polls`, act: press('Create poll') },
  ];
}

function callShots(project: string): Shot[] {
  return [
    { name: 'calls', path: `${project}/calls` },
    { name: 'console', path: `${project}/console` },
    { name: 'activity', path: `${project}/activity` },
    { name: 'activity-entry', path: `${project}/activity`, act: openFirstEntry },
  ];
}

const SETTINGS = [
  'branding',
  'api-keys',
  'signing-keys',
  'revocations',
  'users',
  'organizations',
  'members',
] as const;

function settingShots(project: string): Shot[] {
  const settings = `${project}/settings`;
  return [
    { name: 'settings', path: settings, act: checkAddress, isWhole: true },
    ...SETTINGS.map((section) => ({ name: `settings-${section}`, path: `${settings}/${section}` })),
    {
      name: 'settings-new-signing-key',
      path: `${settings}/signing-keys`,
      act: press('Add signing key'),
    },
    { name: 'settings-new-api-key', path: `${settings}/api-keys`, act: press('Create API key') },
    { name: 'settings-invite', path: `${settings}/members`, act: press('Invite') },
    { name: 'me', path: '/me' },
    { name: 'gateway', path: '/gateway' },
  ];
}

function ownProviderShots(): Shot[] {
  return [
    { name: 'custom-providers', path: '/providers/custom' },
    { name: 'custom-provider-new', path: '/providers/custom/new' },
    { name: 'custom-provider', path: '/providers/custom/custom:fieldworks' },
  ];
}

function frameShots(project: string): Shot[] {
  return [
    { name: 'not-found', path: `${project}/nothing` },
    { name: 'palette', path: project, act: openPalette },
    { name: 'keyboard', path: project, act: (page) => page.keyboard.press('?') },
  ];
}

/** What users see, in every language that it speaks. */
function connectShots({ providers }: SeededGateway): Shot[] {
  const locales = [['', undefined] as const, ['-de', 'de-DE'] as const, ['-es', 'es-ES'] as const];
  return locales.flatMap(([suffix, locale]) => {
    const shared = { isPublic: true, ...(locale !== undefined && { locale }) };
    const page = (name: string, provider?: string) => ({
      ...shared,
      name: `connect-${name}${suffix}`,
      path: () => providers.createConnectLink(provider),
    });
    return [page('choose'), page('key', 'custom:parcelbox'), page('tenants', 'custom:fieldworks')];
  });
}

/** The pages with the most words, in the languages whose words are longer. */
function translatedShots({ ids, projectId }: SeededGateway, project: string): Shot[] {
  const pages = [
    ['home', project],
    ['integration', `${project}/integrations/${ids.integration}`],
    ['integration-new', `${project}/integrations/new?provider=hubspot`],
    ['connection', `${project}/connections/${ids.connection}`],
    ['events', `/p/${projectId}/events/destinations`],
    ['settings', `${project}/settings`],
  ] as const;
  return (['de-DE', 'es-ES'] as const).flatMap((locale) =>
    pages.map(([name, path]) => ({ name: `${locale.slice(0, 2)}-${name}`, path, locale })),
  );
}

function press(name: string) {
  return async (page: Page): Promise<void> => {
    await page.getByRole('button', { name, exact: true }).first().click();
    await page.getByRole('dialog').waitFor();
  };
}

async function checkAddress(page: Page): Promise<void> {
  await page.getByLabel('Address of a page').fill('https://app.example.com/settings/integrations/');
}

async function openFirstEntry(page: Page): Promise<void> {
  // Above the list there may be another table, with buttons of its own.
  await page.locator('table').last().locator('tbody button').first().click();
  await page.getByRole('dialog').waitFor();
}

async function openFailing(page: Page): Promise<void> {
  await page.getByRole('link', { name: /search-index/ }).click();
  await page.getByRole('heading', { level: 1, name: /search-index/ }).waitFor();
}

async function openPoll(page: Page): Promise<void> {
  await page.getByRole('link', { name: 'contacts' }).last().click();
  await page.getByRole('heading', { level: 1, name: 'contacts' }).waitFor();
}

async function openPalette(page: Page): Promise<void> {
  await page.keyboard.press('/');
  await page.getByRole('combobox').fill('in');
}

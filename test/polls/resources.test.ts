import type { PollResource } from '../../src/catalog/schema/provider-polls.schema.ts';
import { beginPass, chooseSource, planRequest } from '../../src/polls/pages/plan-run.ts';
import { NO_PROGRESS, type Phase } from '../../src/polls/pages/progress.ts';
import { readPage } from '../../src/polls/pages/read-response.ts';
import { builtInCatalog } from '../support/built-in-catalog.ts';

const NOW_MS = Date.UTC(2026, 10, 22);
const OPTIONS = { backfill: 'none', deletes: 'none', scanIntervalMs: 0, fields: [], parameters: {} } as const;
const catalog = builtInCatalog;
const RESOURCES = catalog
  .list()
  .flatMap(({ id, polls }) => Object.entries(polls).map(([name, resource]) => ({ id, name, resource })));

function resourceOf(id: string, name: string): PollResource {
  const found = catalog.find(id)?.polls[name];
  if (found === undefined) throw new Error(`no ${id} ${name}`);
  return found;
}

function ask(resource: PollResource, phase: Phase) {
  const progress = {
    ...NO_PROGRESS,
    isInitialized: true,
    watermark: NOW_MS - 3_600_000,
    deletedSince: NOW_MS,
  };
  const examples = Object.keys(resource.parameters).map((name) => [name, `value-of-${name}`]);
  const options = { ...OPTIONS, parameters: Object.fromEntries(examples) };
  const pass = beginPass(resource, progress, phase, NOW_MS);
  const asked = planRequest({ resource, options, progress, phase, pass, nowMs: NOW_MS, variables: {} });
  return { asked, progress, pass };
}

async function read(resource: PollResource, phase: Phase, content: unknown, status = 200) {
  const { progress, pass } = ask(resource, phase);
  const body = Buffer.from(typeof content === 'string' ? content : JSON.stringify(content));
  return readPage({ resource, phase, progress, pass }, { status, headers: {}, body });
}

describe('what can be polled', () => {
  it('is described for every provider that the documentation promises', () => {
    const named = new Set(RESOURCES.map(({ id }) => id));
    const promised = ['hubspot', 'salesforce', 'pipedrive', 'zoho-crm', 'attio', 'close', 'google-calendar'];
    const more = ['google-drive', 'outlook', 'onedrive', 'microsoft-entra-id', 'slack', 'github'];
    expect([...promised, ...more].filter((id) => !named.has(id))).toEqual([]);
  });

  it.each(RESOURCES)('builds the requests of $id $name', ({ resource }) => {
    const phases: Phase[] = [
      ...(resource.changes ? (['changes'] as const) : []),
      ...(resource.list ? (['scan'] as const) : []),
      ...(resource.deleted ? (['deleted'] as const) : []),
      ...(resource.changes?.by === 'token' && resource.changes.start ? (['start'] as const) : []),
    ];
    for (const phase of phases) {
      const { asked } = ask(resource, phase);
      expect(asked?.request.path).toMatch(/^\/[^{}]*$/);
      expect(decodeURIComponent(`${asked?.request.query} ${asked?.request.body}`)).not.toMatch(
        /\{(?:since|until|cursor|page|limit|fields)\}/,
      );
      expect(chooseSource(resource, phase)).toBeTruthy();
    }
  });
});

/** Shortened from the examples in the providers' own documentation. */
describe('an answer', () => {
  it('of HubSpot’s search leads to the next page, and a tie is asked for by id', async () => {
    const contacts = resourceOf('hubspot', 'contacts');
    const { asked } = ask(contacts, 'changes');
    const body = JSON.parse(asked?.request.body ?? '{}');
    expect(body).toMatchObject({ limit: 100, properties: expect.arrayContaining(['email']) });
    expect(body.filterGroups[0].filters[0].value).toBe(String(NOW_MS - 3_660_000));
    expect(body).not.toHaveProperty('after');
    const page = await read(contacts, 'changes', {
      total: 2,
      results: [
        {
          id: '512',
          properties: {},
          createdAt: '2026-11-22T10:00:00.123Z',
          updatedAt: '2026-11-22T10:01:00Z',
          archived: false,
        },
      ],
      paging: { next: { after: '1', link: 'https://api.hubapi.com/…' } },
    });
    expect(page).toMatchObject({ next: '1', records: [{ id: '512', isDeleted: false }] });
    const pass = { ...beginPass(contacts, NO_PROGRESS, 'changes', NOW_MS), since: 5, tieAt: 5 };
    const question = {
      resource: contacts,
      options: OPTIONS,
      progress: NO_PROGRESS,
      nowMs: NOW_MS,
      variables: {},
    };
    const tie = planRequest({ ...question, phase: 'changes', pass });
    expect(JSON.parse(tie?.request.body ?? '{}').filterGroups[0].filters).toEqual([
      { propertyName: 'lastmodifieddate', operator: 'EQ', value: '5' },
      { propertyName: 'hs_object_id', operator: 'GT', value: '0' },
    ]);
  });

  it('of Salesforce has a relative next page, and getDeleted says how far it reaches', async () => {
    const contacts = resourceOf('salesforce', 'contacts');
    const page = await read(contacts, 'changes', {
      totalSize: 2,
      done: false,
      nextRecordsUrl: '/services/data/v62.0/query/01gD0000002HU6KIAW-2000',
      records: [
        {
          Id: '0035',
          SystemModstamp: '2026-11-22T10:00:00.000+0000',
          CreatedDate: '2026-11-01T10:00:00.000+0000',
        },
      ],
    });
    expect(page.next).toBe('/services/data/v62.0/query/01gD0000002HU6KIAW-2000');
    expect(page.records[0]?.updatedAt).toBe(Date.UTC(2026, 10, 22, 10));
    const deleted = await read(contacts, 'deleted', {
      deletedRecords: [{ deletedDate: '2026-11-22T09:00:00.000+0000', id: 'a00D' }],
      earliestDateAvailable: '2026-11-07T20:00:00.000+0000',
      latestDateCovered: '2026-11-22T10:58:00.000+0000',
    });
    expect(deleted).toMatchObject({
      covered: Date.UTC(2026, 10, 22, 10, 58),
      records: [{ id: 'a00D', isDeleted: true }],
    });
  });

  /** As the pipedrive package, 33.7.0, describes version 2. */
  it('of Pipedrive tells where its next page starts', async () => {
    const deals = resourceOf('pipedrive', 'deals');
    const { asked } = ask(deals, 'changes');
    expect(asked?.request.path).toBe('/v2/deals');
    const query = new URLSearchParams(asked?.request.query);
    expect(query.get('updated_since')).toMatch(/^2026-11-2\dT\d\d:\d\d:\d\dZ$/);
    expect([query.get('sort_by'), query.get('sort_direction')]).toEqual(['update_time', 'asc']);
    const page = await read(deals, 'changes', {
      success: true,
      data: [{ id: 7, add_time: '2026-11-20T08:00:00Z', update_time: '2026-11-22T09:00:00Z' }],
      additional_data: { next_cursor: 'eyJmaWVsZCI6ImlkIn0' },
    });
    expect(page).toMatchObject({
      next: 'eyJmaWVsZCI6ImlkIn0',
      records: [{ id: '7', updatedAt: Date.UTC(2026, 10, 22, 9) }],
    });
    const last = { success: true, data: [], additional_data: { next_cursor: null } };
    expect(await read(deals, 'deleted', last)).toMatchObject({ next: null, records: [] });
  });

  it('of Zoho may be empty, without a body', async () => {
    const leads = resourceOf('zoho-crm', 'leads');
    expect(await read(leads, 'changes', '', 304)).toMatchObject({ records: [], next: null });
    expect(ask(leads, 'changes').asked?.request.headers['If-Modified-Since']).toBe('2026-11-21T22:59:00Z');
    const deleted = {
      data: [{ id: '41', deleted_time: '2026-11-22T10:00:00+01:00' }],
      info: { more_records: true },
    };
    expect(await read(leads, 'deleted', deleted)).toMatchObject({
      next: '2',
      records: [{ id: '41', updatedAt: Date.UTC(2026, 10, 22, 9) }],
    });
  });

  it('of Close’s journal names the object, not the entry', async () => {
    const page = await read(resourceOf('close', 'leads'), 'changes', {
      data: [
        {
          id: 'ev_1',
          object_type: 'lead',
          object_id: 'lead_9',
          action: 'deleted',
          date_updated: '2026-11-22T10:00:00.5+00:00',
        },
      ],
      cursor_next: null,
    });
    expect(page).toMatchObject({ next: null, records: [{ id: 'lead_9', isDeleted: true }] });
  });

  it('of Google has page tokens, and at its end the token for the next time', async () => {
    const events = resourceOf('google-calendar', 'events');
    expect(
      await read(events, 'changes', { items: [{ id: 'e1', status: 'cancelled' }], nextSyncToken: 'S' }),
    ).toMatchObject({
      next: null,
      token: 'S',
      records: [{ id: 'e1', isDeleted: true }],
    });
    const files = resourceOf('google-drive', 'files');
    const started = await read(files, 'start', { kind: 'drive#startPageToken', startPageToken: '1055' });
    expect(started.token).toBe('1055');
    const changed = {
      changes: [{ fileId: 'f1', removed: true, time: '2026-11-22T10:00:00Z' }],
      nextPageToken: '1056',
    };
    expect(await read(files, 'changes', changed)).toMatchObject({
      next: '1056',
      token: null,
      records: [{ id: 'f1', isDeleted: true }],
    });
  });

  it('of Microsoft Graph has links to call as they stand', async () => {
    const messages = resourceOf('outlook', 'messages');
    const link = 'https://graph.microsoft.com/v1.0/me/mailFolders/inbox/messages/delta?$deltatoken=x';
    const page = await read(messages, 'changes', {
      value: [{ id: 'm1', '@removed': { reason: 'deleted' } }],
      '@odata.deltaLink': link,
    });
    expect(page).toMatchObject({ next: null, token: link, records: [{ id: 'm1', isDeleted: true }] });
    const progress = { ...NO_PROGRESS, token: link };
    const pass = beginPass(messages, progress, 'changes', NOW_MS);
    const options = { ...OPTIONS, parameters: {} };
    const again = planRequest({
      resource: messages,
      options,
      progress,
      phase: 'changes',
      pass,
      nowMs: NOW_MS,
      variables: {},
    });
    expect(again).toMatchObject({ kind: 'link', link });
  });

  it('of Slack that refuses with a good status is no empty list', async () => {
    const users = resourceOf('slack', 'users');
    await expect(read(users, 'scan', { ok: false, error: 'ratelimited' })).rejects.toThrow('refused');
    expect(
      await read(users, 'scan', {
        ok: true,
        members: [{ id: 'U1', updated: 1_700_000_000 }],
        response_metadata: { next_cursor: '' },
      }),
    ).toMatchObject({
      next: null,
      records: [{ id: 'U1', updatedAt: 1_700_000_000_000 }],
    });
  });

  it('with numbers that JavaScript cannot hold keeps them', async () => {
    const issues = resourceOf('github', 'issues');
    const page = await read(
      issues,
      'changes',
      '[{"id":12345678901234567890,"updated_at":"2026-11-22T10:00:00Z","n":1.10}]',
    );
    expect(page.records[0]?.id).toBe('12345678901234567890');
    expect(JSON.stringify(page.records[0]?.value)).toContain('"n":1.10');
  });

  it.each([
    ['microsoft-entra-id', 'users', { '@removed': { reason: 'changed' } }],
    ['onedrive', 'files', { deleted: { state: 'deleted' } }],
    ['sharepoint', 'files', { deleted: { state: 'deleted' } }],
    ['microsoft-teams', 'messages', { deletedDateTime: '2026-11-22T11:00:00Z' }],
    ['microsoft-todo', 'lists', { '@removed': { reason: 'deleted' } }],
  ])('of the delta query of %s %s tells changed records from deleted ones', async (id, name, mark) => {
    const resource = resourceOf(id, name);
    const link = 'https://graph.microsoft.com/v1.0/delta?$skiptoken=x';
    const changed = { id: 'a', lastModifiedDateTime: '2026-11-22T10:00:00Z' };
    const page = await read(resource, 'changes', {
      '@odata.nextLink': link,
      value: [changed, { id: 'b', ...mark }],
    });
    expect(page).toMatchObject({
      next: link,
      token: null,
      records: [
        { id: 'a', updatedAt: Date.UTC(2026, 10, 22, 10), isDeleted: false },
        { id: 'b', isDeleted: true },
      ],
    });
  });

  it('of Attio has its ids in an object, and full pages go on', async () => {
    const people = resourceOf('attio', 'people');
    const record = (index: number) => ({
      id: { workspace_id: 'w', object_id: 'o', record_id: `r${index}` },
      created_at: '2026-11-20T08:00:00.000000000Z',
      values: {},
    });
    const full = Array.from({ length: people.pageSize }, (_none, index) => record(index));
    expect(await read(people, 'scan', { data: full })).toMatchObject({ next: String(people.pageSize) });
    expect(await read(people, 'scan', { data: [record(7)] })).toMatchObject({
      next: null,
      records: [{ id: 'r7', createdAt: Date.UTC(2026, 10, 20, 8) }],
    });
  });

  it('of a sandbox of Salesforce is read as that of Salesforce', () => {
    expect(resourceOf('salesforce-sandbox', 'contacts')).toEqual(resourceOf('salesforce', 'contacts'));
  });
});

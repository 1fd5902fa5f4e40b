import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { insertActivity, purgeActivityOfAnyProject } from '../../src/activity/activity.store.ts';
import { createIdBound, newId } from '../../src/lib/ids.ts';
import { csvCell } from '../../src/projects/activity-export.ts';
import { addMember, addProject, PASSWORD, readProblemCode, startProjects } from '../projects/support.ts';
import { until } from '../support/until.ts';

type Entry = { action: string; projectId: string | null; subjectId: string };

const { management, project, theirs, send } = await startProjects();
afterAll(management.drop);

function parseLines(text: string): { id: string }[] {
  return text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
}

/** A body that is not JSON, as text. */
function readText(response: NodeJS.EventEmitter, done: (error: Error | null, text: string) => void): void {
  const chunks: Buffer[] = [];
  response.on('data', (chunk) => chunks.push(Buffer.from(chunk)));
  response.on('end', () => done(null, Buffer.concat(chunks).toString()));
}

let onTestEnd = () => {};
afterEach(() => {
  onTestEnd();
  onTestEnd = () => {};
});

describe('the audit log', () => {
  const read = async (credential: string, query = ''): Promise<Entry[]> =>
    (await send('get', `/activity${query}`, credential).expect(200)).body.activity;

  it('tells who did what, newest first', async () => {
    const reply = await send('get', '/activity', project.owner.token).expect(200);
    expect(reply.body.activity).toMatchObject([{ action: 'api_key.created' }, { action: 'project.created' }]);
    expect(reply.body.activity[1]).toEqual({
      id: expect.any(String),
      projectId: project.id,
      actorKind: 'operator',
      actorId: project.owner.id,
      actorName: `${project.owner.id}@example.test`,
      sourceAddress: '127.0.0.1',
      action: 'project.created',
      subjectKind: 'project',
      subjectId: project.id,
      subjectName: 'Project',
      details: { name: 'Project' },
      requestId: expect.stringMatching(/^[0-9a-f-]{36}$/),
      createdAt: expect.stringMatching(/Z$/),
    });
  });

  it('shows a key its own project, with what the key itself did', async () => {
    await send('patch', `/projects/${project.id}`, project.apiKey, { name: 'By key' }).expect(200);
    const [latest] = await read(project.apiKey);
    expect(latest).toMatchObject({
      action: 'project.updated',
      actorKind: 'api_key',
      details: { fields: ['name'] },
    });
  });

  it('is filtered by project, action and subject, and paged', async () => {
    expect(await read(project.owner.token, '?action=api_key.created')).toHaveLength(1);
    expect(await read(project.owner.token, `?subjectId=${project.id}&action=project.created`)).toHaveLength(
      1,
    );
    expect(await read(project.owner.token, `?projectId=${project.id}`)).toEqual(
      await read(project.owner.token),
    );
    const page = await send('get', '/activity?limit=1', project.owner.token).expect(200);
    const rest = await send('get', `/activity?cursor=${page.body.nextCursor}`, project.owner.token).expect(
      200,
    );
    expect([...page.body.activity, ...rest.body.activity]).toEqual(await read(project.owner.token));
  });

  it('shows nothing of another project, whatever the filter', async () => {
    for (const credential of [project.owner.token, project.apiKey]) {
      expect(await read(credential, `?projectId=${theirs.id}`)).toEqual([]);
      expect(await read(credential, `?subjectId=${theirs.id}`)).toEqual([]);
      expect((await read(credential)).every(({ projectId }) => projectId === project.id)).toBe(true);
    }
  });

  it('shows an entry outside any project only to the operator who caused it', async () => {
    const made = await send('post', '/personal-access-tokens', theirs.owner.token, {
      name: 'n',
      password: PASSWORD,
    }).expect(201);
    const query = `?subjectId=${made.body.id}`;
    expect(await read(theirs.owner.token, query)).toMatchObject([
      { action: 'personal_access_token.created' },
    ]);
    expect(await read(project.owner.token, query)).toEqual([]);
    expect(await read(theirs.apiKey, query)).toEqual([]);
  });

  it('keeps nothing of a change that is taken back', async () => {
    const before = await read(project.owner.token);
    management.changed.length = 0;
    const work = management.db.transaction(async (trx) => {
      await management.recordActivity(trx, {
        projectId: project.id,
        actor: { kind: 'gateway' },
        action: 'integration.deleted',
        subjectId: null,
        details: { serviceProvider: 'hubspot' },
      });
      throw new Error('taken back');
    });
    await expect(work).rejects.toThrow('taken back');
    expect(await read(project.owner.token)).toEqual(before);
    expect(management.changed).toEqual([]);
  });

  it('of a deleted project is read by its former owners only', async () => {
    const doomed = await addProject(management, 'Doomed');
    const admin = await addMember(management, doomed, 'admin');
    await send('delete', `/projects/${doomed.id}`, doomed.owner.token).expect(204);
    const actions = (await read(doomed.owner.token, `?projectId=${doomed.id}`)).map(({ action }) => action);
    expect(actions).toEqual([
      'project.deleted',
      'member.added',
      'invitation.accepted',
      'invitation.created',
      'api_key.created',
      'project.created',
    ]);
    expect(await read(admin.token, `?projectId=${doomed.id}`)).toEqual([]);
    expect(await read(theirs.owner.token, `?projectId=${doomed.id}`)).toEqual([]);
    expect((await read(doomed.owner.token)).map(({ action }) => action)).toContain('project.deleted');
  });

  it('tells an operator of what was done to them outside any project', async () => {
    await management.recordActivity(management.db, {
      projectId: null,
      actor: { kind: 'gateway' },
      action: 'operator.password_reset',
      subjectId: project.owner.id,
      details: { systemUser: 'root' },
    });
    const query = '?action=operator.password_reset';
    expect(await read(project.owner.token, query)).toMatchObject([{ subjectId: project.owner.id }]);
    expect(await read(theirs.owner.token, query)).toEqual([]);
    expect(await read(project.apiKey, query)).toEqual([]);
  });

  it('shows no source address where a trusted proxy sent an invalid one', async () => {
    const actor = { kind: 'operator', operatorId: project.owner.id, sourceAddress: 'unknown, "x"' } as const;
    const details = { name: 'odd', allowedAddresses: null };
    const id = newId();
    const action = 'personal_access_token.created';
    await insertActivity(management.db, [{ projectId: null, actor, action, subjectId: id, details }]);
    expect(await read(project.owner.token, `?subjectId=${id}`)).toMatchObject([{ sourceAddress: null }]);
  });

  it('keeps entries as long as it is told to, and erases older ones in batches', async () => {
    const owner = await addProject(management, 'Old');
    const dayMs = 86_400_000;
    const [, kept = ''] = await management.db('activity').where({ project_id: owner.id }).pluck('id');
    const rows = Array.from({ length: 2_300 }, (_, index) => ({
      id: createIdBound(Date.now() - 400 * dayMs - 60_000 - index * 1_000),
      project_id: owner.id,
      actor_kind: 'gateway',
      action: 'api_key.created',
      subject_kind: 'api_key',
    }));
    for (const part of [rows.slice(0, 1_150), rows.slice(1_150)])
      await management.db('activity').insert(part);
    await management
      .db('activity')
      .where({ id: kept })
      .update({ id: createIdBound(Date.now() - 400 * dayMs + 60_000).replace(/0000-0000-0/, '7000-8000-0') });
    const { signal } = new AbortController();
    expect(await purgeActivityOfAnyProject(management.db, { keepDays: 400, signal })).toBe(2_300);
    expect(await read(owner.owner.token)).toHaveLength(2);
    expect(await purgeActivityOfAnyProject(management.db, { keepDays: 400, signal })).toBe(0);
  });

  it('is filtered by who did it, from where, in which request and when', async () => {
    const made = await send('patch', `/projects/${project.id}`, project.apiKey, { name: 'Filtered' }).expect(
      200,
    );
    const requestId = made.headers['gateway-request-id'];
    const [entry] = await read(project.apiKey, `?requestId=${requestId}`);
    expect(entry).toMatchObject({ action: 'project.updated', subjectId: project.id });
    const byOwner = await read(project.apiKey, `?actorKind=operator&actorId=${project.owner.id}`);
    expect(byOwner.map(({ action }) => action)).toEqual(['api_key.created', 'project.created']);
    expect(await read(project.apiKey, '?subjectKind=api_key')).toHaveLength(1);
    const later = new Date(Date.now() + 60_000).toISOString();
    expect(await read(project.apiKey, `?to=${later}`)).toEqual(await read(project.apiKey));
    expect(await read(project.apiKey, `?from=${later}`)).toEqual([]);
  });

  const exported = (query: string, credential: string) =>
    send('get', `/activity/export${query}`, credential).buffer(true).parse(readText).expect(200);

  it('is exported as JSON lines and as CSV, with the same filters', async () => {
    await send('post', `/projects/${theirs.id}/api-keys`, theirs.owner.token, { name: '=1+1' }).expect(201);
    const query = `projectId=${theirs.id}&action=api_key.created`;
    const lines = await exported(`?format=jsonl&${query}`, theirs.owner.token);
    expect(lines.headers['content-type']).toBe('application/jsonl');
    const entries = await read(theirs.owner.token, `?${query}`);
    expect(parseLines(lines.body)).toEqual(entries);
    const csv = await exported(`?${query}`, theirs.owner.token);
    expect(csv.headers['content-disposition']).toBe('attachment; filename="activity.csv"');
    const [head, first] = csv.body.split('\r\n');
    expect(head).toBe(
      'id,createdAt,projectId,actorKind,actorId,sourceAddress,action,subjectKind,subjectId,requestId,details,actorName,subjectName',
    );
    expect(first).toContain(',127.0.0.1,api_key.created,');
    expect((await exported(`?format=jsonl&${query}`, project.owner.token)).body).toBe('');
    await send('get', '/activity/export', `user:${project.id}:u`).expect(403);
    await send('get', '/activity/export?format=xls', project.apiKey).expect(400);
  });

  it('is exported whole over many pages', async () => {
    const owner = await addProject(management, 'Large');
    const entry = {
      project_id: owner.id,
      actor_kind: 'gateway',
      action: 'api_key.created',
      subject_kind: 'api_key',
    };
    const rows = Array.from({ length: 1_201 }, () => ({ id: newId(), ...entry }));
    await management.db('activity').insert(rows);
    const { body } = await exported('?format=jsonl', owner.apiKey);
    const ids = parseLines(body).map(({ id }) => id);
    expect(new Set(ids).size).toBe(1_203);
    expect(ids).toEqual(ids.toSorted().reverse());
  });

  it('is exported twice at a time by one caller, and by others meanwhile', async () => {
    const owner = await addProject(management, 'Slow reader');
    await management.db.raw(
      `INSERT INTO activity (id, project_id, actor_kind, action, subject_kind, details)
       SELECT gen_random_uuid(), ?, 'gateway', 'api_key.created', 'api_key', jsonb_build_object('name', repeat('x', 20000))
       FROM generate_series(1, 1000)`,
      [owner.id],
    );
    const server = management.app.listen(0, '127.0.0.1');
    onTestEnd = () => {
      server.closeAllConnections();
      server.close();
    };
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const begin = async (credential: string): Promise<IncomingMessage> => {
      const headers = { Authorization: `Bearer ${credential}` };
      const asked = get({ port, host: '127.0.0.1', path: '/v1/activity/export', headers, agent: false });
      const [response] = await once(asked, 'response');
      return response;
    };
    const [first, second] = [await begin(owner.apiKey), await begin(owner.apiKey)];
    expect([first.statusCode, second.statusCode]).toEqual([200, 200]);
    const third = await begin(owner.apiKey);
    expect([third.statusCode, third.headers['gateway-error']]).toEqual([429, 'rate_limited']);
    const others = await begin(theirs.apiKey);
    expect(others.statusCode).toBe(200);
    first.destroy();
    await until(async () => (await begin(owner.apiKey)).statusCode === 200);
  });

  it('is exported without formulas in tables that a semicolon divides', async () => {
    const name = 'a;=1+1';
    await send('post', `/projects/${theirs.id}/api-keys`, theirs.owner.token, { name }).expect(201);
    const csv = await exported(`?projectId=${theirs.id}&action=api_key.created`, theirs.owner.token);
    expect(csv.body).not.toContain(';');
    expect(csv.body).toContain('a\\u003b=1+1');
  });

  it.each([
    ['=1+1', "'=1+1"],
    ['+1', "'+1"],
    ['-1', "'-1"],
    ['@SUM(A1)', "'@SUM(A1)"],
    ['\t=1', "' =1"],
    ['x;=1+1', 'x =1+1'],
    ['x\t=1', 'x =1'],
    ['a\r\nb', 'a b'],
    ['a,"b"', '"a,""b"""'],
    ['=A1,B1', '"\'=A1,B1"'],
    ['plain', 'plain'],
  ])('is exported without formulas: %j becomes %j', (value, cell) => {
    expect(csvCell(value)).toBe(cell);
  });

  it('is for operators and keys', async () => {
    await send('get', '/activity').expect(401);
    expect(await send('get', '/activity', `user:${project.id}:u`).then(readProblemCode)).toBe(
      '403 forbidden_principal',
    );
  });

  it.each(['?action=%00', '?subjectId=1', '?projectId=x', '?actor=me'])('refuses %s', async (query) => {
    expect(await send('get', `/activity${query}`, project.apiKey).then(readProblemCode)).toBe(
      '400 invalid_request',
    );
  });
});

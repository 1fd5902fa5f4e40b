import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { demoCrmProviderFile } from '../../examples/demo-crm/provider-file.ts';
import { type DemoCrm, startDemoCrm } from '../../examples/demo-crm/server.ts';
import { type ApiAnswer, callApi, callApiOk, type Project, provision } from '../support/gateway.ts';
import { createDataDir } from '../support/gateway-environment.ts';
import { type SpawnedGateway, spawnGateway } from '../support/spawn-gateway.ts';
import { APP_ORIGIN, CONTACTS, connectAccount, integrateDemoCrm, PROVIDER } from '../support/stage.ts';

const WRITES_BEFORE_THE_CRASH = 60;
const WRITERS = 4;

let crm: DemoCrm;
let data: Awaited<ReturnType<typeof createDataDir>>;
let gateway: SpawnedGateway;
let project: Project;

beforeAll(async () => {
  data = await createDataDir();
  crm = await startDemoCrm({ clients: [], contacts: 20 });
  await writeFile(join(data.path, `${PROVIDER}.yaml`), demoCrmProviderFile(crm.url));
  gateway = await startOnSameData();
  project = await provision(gateway, { allowedOrigins: [APP_ORIGIN] });
});

afterAll(async () => {
  await gateway?.stop();
  await crm?.close();
  await data?.remove();
});

/** No ENCRYPTION_KEYS: the gateway makes a key once and keeps it with its data. */
function startOnSameData(): Promise<SpawnedGateway> {
  return spawnGateway({
    dataDir: join(data.path, 'data'),
    catalogDir: data.path,
    ...(gateway === undefined ? {} : { port: gateway.port }),
  });
}

/** What the gateway said that it had stored. */
type Acknowledged = { metadata: Map<string, Record<string, unknown>>; projects: Set<string> };

/** Writes without a pause until the gateway no longer answers; `onWrite` counts. */
async function writeUntilTheEnd(connectionId: string, name: string, to: Acknowledged, onWrite: () => void) {
  const bearer = project.personalAccessToken;
  for (let number = 0; ; number += 1) {
    try {
      const body = { customMetadata: { [name]: number } };
      const patched = await callApi(gateway.url, 'PATCH', `/v1/connections/${connectionId}`, {
        bearer,
        body,
      });
      if (patched.status === 200) to.metadata.set(name, patched.body.customMetadata);
      const made = await callApi(gateway.url, 'POST', '/v1/projects', {
        bearer,
        body: { name: `${name}-${number}` },
      });
      if (made.status === 201) to.projects.add(made.body.id);
      onWrite();
    } catch {
      return;
    }
  }
}

async function allProjectIds(): Promise<Set<string>> {
  const ids = new Set<string>();
  let cursor: string | null = '';
  while (cursor !== null) {
    const query = cursor === '' ? 'limit=200' : `limit=200&cursor=${encodeURIComponent(cursor)}`;
    const { body } = await callApi(gateway.url, 'GET', `/v1/projects?${query}`, {
      bearer: project.personalAccessToken,
    });
    for (const { id } of body.projects) ids.add(id);
    cursor = body.nextCursor;
  }
  return ids;
}

type Import = { readonly key: string; readonly userId: string };

/** Imports connections of ever new users; answers the one whose outcome was not reported. */
async function importUntilTheEnd(
  writer: number,
  integrationId: string,
  onWrite: () => void,
): Promise<Import> {
  for (let number = 0; ; number += 1) {
    const one = { key: `import-${writer}-${number}`, userId: `imported-${writer}-${number}` };
    let answer: ApiAnswer | undefined;
    do {
      answer = await importConnection(one, integrationId).catch(() => undefined);
      if (answer === undefined) return one;
      // On a busy machine the store may be late to answer.
    } while (answer.status === 503);
    if (answer.status !== 201) throw new Error(`${answer.status} ${answer.text}`);
    onWrite();
  }
}

function importConnection({ key, userId }: Import, integrationId: string): Promise<ApiAnswer> {
  return callApi(gateway.url, 'POST', '/v1/connections', {
    bearer: project.apiKey,
    headers: { 'idempotency-key': key },
    body: { integrationId, userId, credentials: { accessToken: 'access' } },
  });
}

/** As a client does on Retry-After. */
async function retryUntilAnswered(one: Import, integrationId: string): Promise<ApiAnswer> {
  for (;;) {
    const answer = await importConnection(one, integrationId);
    if (answer.status !== 409) return answer;
    const seconds = Number(answer.headers.get('retry-after'));
    await new Promise((resolve) => setTimeout(resolve, seconds * 1_000));
  }
}

describe('a gateway that is killed while it writes', () => {
  it('comes back with every change that it had acknowledged, and with credentials that it can read', async () => {
    await integrateDemoCrm(gateway, project, crm);
    const connections = [];
    for (let writer = 0; writer < WRITERS; writer += 1) {
      connections.push(await connectAccount({ gateway, crm, project }, { userId: `user-${writer}` }));
    }
    const acknowledged: Acknowledged = { metadata: new Map(), projects: new Set() };
    let writes = 0;
    const killed = Promise.withResolvers<void>();
    const onWrite = () => {
      writes += 1;
      if (writes === WRITES_BEFORE_THE_CRASH) gateway.kill().then(() => killed.resolve(), killed.reject);
    };
    const writers = connections.map(({ id }, index) =>
      writeUntilTheEnd(id, `writer-${index}`, acknowledged, onWrite),
    );
    await Promise.all([killed.promise, ...writers]);
    expect(acknowledged.projects.size).toBeGreaterThanOrEqual(WRITES_BEFORE_THE_CRASH);

    gateway = await startOnSameData();

    const stored = await allProjectIds();
    expect([...acknowledged.projects].filter((id) => !stored.has(id))).toEqual([]);
    for (const [index, { id }] of connections.entries()) {
      const name = `writer-${index}`;
      const { body } = await callApi(gateway.url, 'GET', `/v1/connections/${id}`, {
        bearer: project.personalAccessToken,
      });
      // One more write than was acknowledged may have reached the store before the answer was lost.
      const last = Number(acknowledged.metadata.get(name)?.[name]);
      expect([last, last + 1]).toContain(body.customMetadata[name]);
      const contacts = await callApi(
        gateway.url,
        'GET',
        `/projects/${project.id}/proxy/${PROVIDER}${CONTACTS}`,
        {
          bearer: project.userToken(`user-${index}`),
        },
      );
      expect(contacts.status).toBe(200);
    }
  });

  it('does what was asked with an Idempotency-Key once, whenever it was killed', async () => {
    const { integrations } = await callApiOk(gateway.url, 'GET', '/v1/integrations', {
      bearer: project.apiKey,
    });
    const integrationId: string = integrations[0].id;
    for (const writesBefore of [40, 55]) {
      let writes = 0;
      const killed = Promise.withResolvers<void>();
      const onWrite = () => {
        writes += 1;
        if (writes === writesBefore) gateway.kill().then(() => killed.resolve(), killed.reject);
      };
      const unanswered = Array.from({ length: 20 }, (_, writer) =>
        importUntilTheEnd(writesBefore * 100 + writer, integrationId, onWrite),
      );
      const [uncertain] = await Promise.all([Promise.all(unanswered), killed.promise]);
      gateway = await startOnSameData();
      const retried = await Promise.all(uncertain.map((one) => retryUntilAnswered(one, integrationId)));
      expect(retried.map(({ status }) => status)).toEqual(Array(20).fill(201));
      for (const [index, { userId }] of uncertain.entries()) {
        const path = `/v1/projects/${project.id}/connections?userId=${userId}`;
        const { connections } = await callApiOk(gateway.url, 'GET', path, { bearer: project.apiKey });
        expect(connections.map(({ id }: { id: string }) => id)).toEqual([retried[index]?.body.id]);
      }
    }
  });

  it('needs no second set-up, refreshes what expired meanwhile, and stops cleanly afterwards', async () => {
    const again = await callApi(gateway.url, 'POST', '/v1/setup', {
      body: {
        token: gateway.env.SETUP_TOKEN,
        email: 'other@example.test',
        password: 'another long pass phrase',
      },
    });
    expect(again).toMatchObject({ status: 409, body: { code: 'already_set_up' } });
    crm.expireAccessTokens();
    const contacts = await callApi(
      gateway.url,
      'GET',
      `/projects/${project.id}/proxy/${PROVIDER}${CONTACTS}`,
      {
        bearer: project.userToken('user-0'),
      },
    );
    expect(contacts.status).toBe(200);
    expect(await gateway.stop()).toEqual({ code: 0, signal: null });
  });
});

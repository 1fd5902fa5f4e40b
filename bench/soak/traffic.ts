import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { type ApiCall, callApi, callApiOk } from '../../test/support/gateway.ts';
import type { Receiver } from '../../test/support/receiver.ts';
import { CONTACTS, connectAccount, PROVIDER, type Stage } from '../../test/support/stage.ts';
import type { Kind, Work } from './kinds.ts';
import type { Machine } from './machine.ts';
import { listRough } from './rough-traffic.ts';

/** Users that are connected from the beginning; as many connect and go again, in turn. */
export const USERS = 20;
const VISITORS = 40;
/** Where few users are connected, each of whom gets an event of every change. */
const QUIET_HUB_ID = 48_233_904;
const QUIET_EVERY = 10;
const TAIL_MS = 20_000;
const FAILURES_SHOWN = 20;

export type Traffic = {
  /** Work that was done, by its kind. */
  readonly counts: Readonly<Record<string, number>>;
  /**
   * Answers that were not those of a healthy gateway: how many, and the first of them. `late`: those beside them that said that the store
   * is out of reach, while the machine was late for the soak itself.
   */
  readonly failures: Failures;
  stop(): Promise<void>;
};

type Failures = { count: number; late: number; readonly first: string[] };
/** What a gateway says whose store does not answer in time. */
const STORE_LATE = /store_unavailable|the tail gave 503/;

/**
 * Mixed traffic at a steady rate: each kind at its own interval, one after the other, so that a gateway that is slow gets less
 * of it and never a queue. `pace` multiplies all intervals.
 */
export function startTraffic(
  stage: Stage,
  receiver: Receiver,
  pace: number,
  machine: Pick<Machine, 'wasLate'>,
): Traffic {
  const counts: Record<string, number> = {};
  const failures: Failures = { count: 0, late: 0, first: [] };
  const note = (kind: string, error: unknown): void => {
    if (STORE_LATE.test(String(error)) && machine.wasLate()) {
      failures.late += 1;
      return;
    }
    failures.count += 1;
    if (failures.first.length < FAILURES_SHOWN)
      failures.first.push(`${new Date().toISOString()} ${kind}: ${error}`);
  };
  const stopping = new AbortController();
  const run = async (kind: string, intervalMs: number, work: Work) => {
    for (let index = 0; !stopping.signal.aborted; index += 1) {
      const dueAt = performance.now() + intervalMs * pace;
      try {
        await work(index);
        counts[kind] = (counts[kind] ?? 0) + 1;
      } catch (error) {
        if (stopping.signal.aborted) return;
        note(kind, error);
      }
      await pause(Math.max(0, dueAt - performance.now()), undefined, { signal: stopping.signal }).catch(
        () => undefined,
      );
    }
  };
  const all = [
    ...listCalls(stage),
    ...listRough(stage),
    ...listManagement(stage),
    ...listStreams(stage, stopping.signal),
    ...listEvents(stage, receiver),
  ].map(([kind, intervalMs, work]) => run(kind, intervalMs, work));
  return {
    counts,
    failures,
    async stop() {
      stopping.abort();
      await Promise.all(all);
    },
  };
}

async function expectStatus(status: number, url: string, method: string, path: string, call: ApiCall) {
  const answer = await callApi(url, method, path, call);
  if (answer.status !== status)
    throw new Error(`${method} ${path} gave ${answer.status}: ${answer.text.slice(0, 300)}`);
  return answer;
}

/** Tokens live for a minute, as those of pages do, and are made again by the application. */
function createTokens({ project }: Stage) {
  const kept = new Map<string, { token: string; untilMs: number }>();
  return (userId: string): string => {
    const known = kept.get(userId);
    if (known !== undefined && known.untilMs > Date.now()) return known.token;
    const token = project.userToken(userId, { expiresInSeconds: 60 });
    kept.set(userId, { token, untilMs: Date.now() + 40_000 });
    return token;
  };
}

/** Who logs in at the provider for the n-th user. */
export function pickAccount(index: number): string {
  return index % QUIET_EVERY === 0 ? 'carol@contoso.test' : 'ada@northwind.test';
}

const pickUser = (index: number) => `user-${index % USERS}`;

function listCalls(stage: Stage): Kind[] {
  const { gateway, project } = stage;
  const tokenOf = createTokens(stage);
  const proxied = `/projects/${project.id}/proxy/${PROVIDER}`;
  const search = { filterGroups: [], limit: 20, properties: ['email'] };
  const mandate = [{ type: 'gateway_access', provider: PROVIDER, access: 'read', paths: ['/crm/v3/**'] }];
  return [
    [
      'proxied GET',
      200,
      async (index) => {
        const bearer = tokenOf(pickUser(index));
        await expectStatus(200, gateway.url, 'GET', `${proxied}${CONTACTS}?limit=20`, { bearer });
      },
    ],
    [
      'proxied POST with a body',
      500,
      async (index) => {
        const call = { bearer: tokenOf(pickUser(index)), body: search };
        await expectStatus(200, gateway.url, 'POST', `${proxied}${CONTACTS}/search`, call);
      },
    ],
    [
      'calls with a mandate',
      1_000,
      async (index) => {
        const claims = { authorization_details: mandate };
        const bearer = project.userToken(pickUser(index), { expiresInSeconds: 60, claims });
        await expectStatus(200, gateway.url, 'GET', `${proxied}${CONTACTS}?limit=1`, { bearer });
        await expectStatus(403, gateway.url, 'POST', `${proxied}${CONTACTS}/search`, {
          bearer,
          body: search,
        });
      },
    ],
    [
      'revoked tokens',
      10_000,
      async (index) => {
        const jti = randomUUID();
        const bearer = project.userToken(pickUser(index), { expiresInSeconds: 60, claims: { jti } });
        const path = `${proxied}${CONTACTS}?limit=1`;
        await expectStatus(200, gateway.url, 'GET', path, { bearer });
        const revocation = { bearer: project.apiKey, body: { jti } };
        await callApiOk(gateway.url, 'POST', `/v1/projects/${project.id}/revocations`, revocation);
        await expectStatus(401, gateway.url, 'GET', path, { bearer });
      },
    ],
  ];
}

function listManagement(stage: Stage): Kind[] {
  const { gateway, project, integration } = stage;
  const bearer = project.apiKey;
  const reads = [
    `/v1/projects/${project.id}/connections?limit=20`,
    `/v1/projects/${project.id}/overview`,
    `/v1/projects/${project.id}/stats`,
    `/v1/integrations/${integration.id}`,
    `/v1/activity?limit=20`,
    `/v1/projects/${project.id}/calls?limit=20`,
  ];
  return [
    [
      'management reads',
      500,
      async (index) =>
        void (await callApiOk(gateway.url, 'GET', reads[index % reads.length] ?? '', { bearer })),
    ],
    [
      'management writes',
      2_000,
      async (index) => {
        const listing = `/v1/projects/${project.id}/connections?userId=${pickUser(index)}`;
        const { connections } = await callApiOk(gateway.url, 'GET', listing, { bearer });
        const body = { customMetadata: { index } };
        await callApiOk(gateway.url, 'PATCH', `/v1/connections/${connections[0].id}`, { bearer, body });
      },
    ],
    [
      'connects by OAuth, and deletions',
      5_000,
      async (index) => {
        const userId = `visitor-${index % VISITORS}`;
        const { id } = await connectAccount(stage, { userId });
        const path = `/projects/${project.id}/proxy/${PROVIDER}${CONTACTS}?limit=1`;
        await expectStatus(200, gateway.url, 'GET', path, { bearer: project.userToken(userId) });
        await callApiOk(gateway.url, 'DELETE', `/v1/connections/${id}`, { bearer });
      },
    ],
  ];
}

function listStreams({ gateway, project }: Stage, stopped: AbortSignal): Kind[] {
  const follow: Work = async () => {
    const signal = AbortSignal.any([AbortSignal.timeout(TAIL_MS), stopped]);
    const response = await fetch(`${gateway.url}/v1/projects/${project.id}/tail`, {
      headers: { authorization: `Bearer ${project.apiKey}` },
      signal,
    });
    if (response.status !== 200 || response.body === null)
      throw new Error(`the tail gave ${response.status}`);
    try {
      for await (const _chunk of response.body);
    } catch (error) {
      if (!signal.aborted) throw error;
    }
  };
  return [
    ['tails of 20 s', 100, follow],
    ['tails of 20 s', 100, follow],
  ];
}

function listEvents({ gateway, project, crm }: Stage, receiver: Receiver): Kind[] {
  let after = '';
  return [
    [
      'pulls of events',
      1_000,
      async () => {
        const path = `/v1/events?limit=100&wait=5${after === '' ? '' : `&after=${after}`}`;
        ({ nextAfter: after } = await callApiOk(gateway.url, 'GET', path, { bearer: project.apiKey }));
      },
    ],
    [
      'changes at the provider, which sends webhooks',
      1_500,
      async () => void crm.act(QUIET_HUB_ID, 'change'),
    ],
    [
      'looks at what the receiver got',
      5_000,
      async () => {
        if (receiver.received.splice(0).some(({ id }) => id === 'undefined'))
          throw new Error('a delivery without an id');
      },
    ],
  ];
}

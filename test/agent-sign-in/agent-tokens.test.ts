import { randomBytes } from 'node:crypto';
import { createAgentTokens } from '../../src/agent-sign-in/agent-tokens.ts';
import type { Consent } from '../../src/agent-sign-in/consent.ts';
import { newId } from '../../src/lib/ids.ts';
import { createChanges } from '../../src/platform/change-notices.ts';
import { createLogger } from '../../src/platform/logger.ts';
import { createTestDatabase, type TestDatabase } from '../support/postgres.ts';

const projectId = newId();
const consent: Consent = {
  ...{ id: newId(), projectId, endUserId: newId(), userId: 'mia', clientName: null, access: 'all' },
  ...{ clientId: 'https://desk.example/client.json', rights: {} },
  ...{ signedInAt: new Date(0), createdAt: new Date(0), usedAt: new Date(0) },
};

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

function start() {
  let reads = 0;
  let nowMs = 0;
  let found: Consent | undefined = consent;
  const changes = createChanges();
  const verify = createAgentTokens({
    db: database.knex,
    now: () => nowMs,
    log: createLogger({ level: 'error' }),
    changes,
    failedPerMinute: 0,
    consents: {
      async findOfToken() {
        reads += 1;
        return found && { consent: found, expiresAt: new Date(600_000) };
      },
    },
    admitUser: ({ subject, rights }) => ({
      ...{ projectId, subject, mandate: undefined, actors: rights?.actors },
    }),
    verifyUserToken: () => {
      throw new Error('no user token is here');
    },
  });
  const token = randomBytes(32).toString('base64url');
  return {
    verify: () => verify(projectId, token, () => 'network'),
    changes,
    countReads: () => reads,
    end(): void {
      found = undefined;
    },
    pass(ms: number): void {
      nowMs += ms;
    },
  };
}

describe('an access token that the door has seen', () => {
  it('is good at once, without a query and without waiting', async () => {
    const { verify, countReads } = start();
    const first = verify();
    expect(first).toBeInstanceOf(Promise);
    expect(await first).toMatchObject({ subject: 'mia', actors: [{ name: 'desk.example' }] });
    for (let call = 0; call < 100; call += 1) expect(verify()).toMatchObject({ subject: 'mia' });
    expect(countReads()).toBe(1);
  });

  it('is asked for again once a consent of the project has changed', async () => {
    const { verify, changes, end } = start();
    await verify();
    end();
    expect(verify()).toMatchObject({ subject: 'mia' });
    changes.handleNotification(`agent_consents ${projectId} ${consent.id}`);
    await expect(verify()).rejects.toMatchObject({ code: 'token_invalid' });
  });

  it('ends with its time, also in memory', async () => {
    const { verify, pass } = start();
    await verify();
    pass(29_000);
    expect(verify()).toMatchObject({ subject: 'mia' });
    pass(571_000);
    await expect(verify()).rejects.toMatchObject({ code: 'token_expired' });
  });
});

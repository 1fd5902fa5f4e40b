import type { NamedMandate } from '../../src/identity/mandates/mandates.store.ts';
import { createNamedMandates } from '../../src/identity/mandates/named-mandates.ts';
import { createUserRights } from '../../src/identity/verification/user-rights.ts';
import { readTokenRights } from '../../src/mandates/token-rights.ts';

const ID = '0192f0c8-0000-7000-8000-000000000002';
const ENTRY = { type: 'gateway_access', provider: 'hubspot', access: 'read', approval: 'none' } as const;

function createWorld() {
  const stored = new Map<string, NamedMandate>();
  const seen = { reads: 0 };
  const mandates = createNamedMandates({
    now: () => 1_000_000,
    log: { warn() {} },
    async find(_projectId, id) {
      seen.reads += 1;
      return stored.get(id);
    },
  });
  const put = (change: Partial<NamedMandate> = {}) => {
    const at = new Date(0);
    const made = {
      id: ID,
      projectId: 'p',
      name: 'Agents',
      entries: [ENTRY],
      state: 'active',
      version: 1,
    } as const;
    stored.set(ID, { ...made, createdAt: at, createdBy: ID, updatedAt: at, updatedBy: ID, ...change });
    mandates.invalidate('p');
  };
  const grant = createUserRights(mandates.find);
  const rights = readTokenRights({ gateway_mandate: ID.toUpperCase(), authorization_details: [ENTRY] });
  return {
    seen,
    put,
    grant: () => grant({ projectId: 'p', subject: 'mia', membership: undefined, rights }, false),
    mandates,
  };
}

it('a token that refers to a mandate asks the store once, and then gets the same mandate at once', async () => {
  const { seen, put, grant } = createWorld();
  put();
  const first = await grant();
  expect(first.mandate).toMatchObject({ ids: [ID, expect.any(String)] });
  expect(first.mandate?.refusal).toBeUndefined();
  for (let call = 0; call < 1_000; call += 1) {
    const again = grant();
    if (again instanceof Promise) throw new Error('a warm token waited');
    expect(again.mandate).toBe(first.mandate);
  }
  expect(seen.reads).toBe(1);
});

it('a change that is announced counts for the next call', async () => {
  const { put, grant } = createWorld();
  put();
  await grant();
  put({ state: 'frozen' });
  expect((await grant()).mandate).toMatchObject({ parts: [], refusal: { code: 'mandate_frozen' } });
  put({ entries: [{ ...ENTRY, access: 'write' }] });
  expect((await grant()).mandate?.parts).toHaveLength(2);
});

it('one that is not there is asked for at each call, since it may have been made meanwhile', async () => {
  const { seen, grant } = createWorld();
  for (let call = 1; call <= 3; call += 1) {
    expect((await grant()).mandate?.refusal?.code).toBe('mandate_denied');
    expect(seen.reads).toBe(call);
  }
});

import { ATTACKED, readMandate } from './attacked-mandates.ts';
import { type Attack, createAttacks, isLetPass } from './mandate-attacks.ts';
import { startHarness } from './proxy-harness.ts';
import { okAnswer, startRawUpstream } from './upstream.ts';

/** Judges so many attacks by the rule alone; answers those that it would let pass. */
export function judgeAttacks(seed: number, count: number): Attack[] {
  return [...createAttacks(seed, count)].filter(isLetPass);
}

export type WireResult = {
  /** Requests that came to the provider. */
  readonly reached: readonly string[];
  /** Calls by the code or status of their answer. */
  readonly answers: ReadonlyMap<string, number>;
};

/** Sends so many attacks to a proxy, each on a connection of its own, and counts what comes to the provider. */
export async function sendAttacks(seed: number, count: number): Promise<WireResult> {
  let current: Attack['mandate'] = 'readAll';
  const upstream = await startRawUpstream(okAnswer('{}'));
  const gateway = await startHarness({
    upstreamPort: upstream.port,
    connection: { accessFactsAt: () => ATTACKED },
    deps: {
      verifyUserToken: (projectId) => ({ projectId, subject: 'user-1', mandate: readMandate(current) }),
    },
  });
  const answers = new Map<string, number>();
  try {
    for (const { mandate, method, path, fields, body } of createAttacks(seed, count)) {
      current = mandate;
      const length = body === undefined ? [] : [`Content-Length: ${Buffer.byteLength(body)}`];
      const bytes = body === undefined ? undefined : Buffer.from(body).toString('latin1');
      const answer = await gateway.call(method, path, [...fields, ...length], bytes);
      const name = /"code":"(\w+)"/.exec(answer.body)?.[1] ?? String(answer.status);
      answers.set(name, (answers.get(name) ?? 0) + 1);
    }
    return { reached: upstream.requests.map(({ head }) => String(head)), answers };
  } finally {
    await gateway.close();
    await upstream.close();
  }
}

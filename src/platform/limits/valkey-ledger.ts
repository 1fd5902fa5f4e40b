import { z } from 'zod';
import type { Valkey } from '../valkey.ts';
import type { LimitLedger } from './ledger.ts';

/** The rule of `settleEntry` for one key, by Valkey's clock. A key ends when nothing of it is used up. */
const SETTLE = `
local time = redis.call('TIME')
local now = tonumber(time[1]) * 1000 + tonumber(time[2]) / 1000
local interval, room, want, settle = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3]), tonumber(ARGV[4])
local used = math.max(0, tonumber(redis.call('GET', KEYS[1]) or '0') - now)
used = math.max(0, used + settle * interval)
local granted = math.max(0, math.min(want, math.floor((room - used + 1e-3) / interval)))
used = used + granted * interval
if used > 0 then
  redis.call('SET', KEYS[1], string.format('%.3f', now + used), 'PX', math.ceil(used))
else
  redis.call('DEL', KEYS[1])
end
return { granted, string.format('%.3f', used) }`;

const STANDING = z.tuple([z.number(), z.coerce.number()]);
const NO_SCRIPT = /NOSCRIPT/;

/** The ledger in Valkey: a script for each entry, all of them in one round trip, and for any node of a cluster. */
export function createValkeyLedger(valkey: Valkey, prefix: string): LimitLedger {
  let sha: Promise<string> | undefined;

  async function load(): Promise<string> {
    sha ??= valkey.script('LOAD', SETTLE).then(String);
    try {
      return await sha;
    } catch (error) {
      sha = undefined;
      throw error;
    }
  }

  async function run(entries: Parameters<LimitLedger['exchange']>[0]) {
    const script = await load();
    const pipeline = valkey.pipeline();
    for (const { key, intervalMs, roomMs, want, settle } of entries)
      pipeline.evalsha(script, 1, prefix + key, intervalMs, roomMs, want, settle);
    const answers = await pipeline.exec();
    return (answers ?? []).map(([error, value]) => {
      if (error !== null) throw error;
      const [granted, usedMs] = STANDING.parse(value);
      return { granted, usedMs };
    });
  }

  return {
    async exchange(entries) {
      try {
        return await run(entries);
      } catch (error) {
        // A server that was restarted has no scripts any more, and executed none of these.
        if (!NO_SCRIPT.test(String(error))) throw error;
        sha = undefined;
        return run(entries);
      }
    },
  };
}

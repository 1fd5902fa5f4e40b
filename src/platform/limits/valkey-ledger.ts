import { z } from 'zod';
import type { Valkey } from '../valkey.ts';
import type { LimitLedger } from './ledger.ts';

/** The rule of `settleEntry` for each key, by Valkey's clock. A key ends when nothing of it is used up. */
const SETTLE = `
local time = redis.call('TIME')
local now = tonumber(time[1]) * 1000 + tonumber(time[2]) / 1000
local standings = {}
for index, key in ipairs(KEYS) do
  local at = (index - 1) * 4
  local interval, room = tonumber(ARGV[at + 1]), tonumber(ARGV[at + 2])
  local want, settle = tonumber(ARGV[at + 3]), tonumber(ARGV[at + 4])
  local used = math.max(0, tonumber(redis.call('GET', key) or '0') - now)
  used = math.max(0, used + settle * interval)
  local granted = math.max(0, math.min(want, math.floor((room - used + 1e-3) / interval)))
  used = used + granted * interval
  if used > 0 then
    redis.call('SET', key, string.format('%.3f', now + used), 'PX', math.ceil(used))
  else
    redis.call('DEL', key)
  end
  standings[index * 2 - 1] = granted
  standings[index * 2] = string.format('%.3f', used)
end
return standings`;

const STANDINGS = z.array(z.coerce.number());
const NO_SCRIPT = /NOSCRIPT/;

/**
 * The ledger in Valkey: one script for all entries. The prefix is a hash tag, so that a cluster has all keys on one of its
 * nodes, where they are settled as one step.
 */
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
    const keys = entries.map(({ key }) => `{${prefix}}${key}`);
    const values = entries.flatMap(({ intervalMs, roomMs, want, settle }) => [
      intervalMs,
      roomMs,
      want,
      settle,
    ]);
    const script = await load();
    const numbers = STANDINGS.parse(await valkey.evalsha(script, keys.length, ...keys, ...values));
    return entries.map((_, index) => ({
      granted: numbers[index * 2] ?? 0,
      usedMs: numbers[index * 2 + 1] ?? 0,
    }));
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

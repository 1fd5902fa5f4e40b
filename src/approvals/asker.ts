import { isRecord } from '../lib/is-record.ts';
import type { Actor, Asker } from './approval.ts';

const TEXT_LENGTH_MAX = 255;
const ACTORS_MAX = 4;

/** Who asks and until when, by the payload of a user JWT whose signature has been checked. */
export function readAsker(
  token: string,
  declared: string | undefined,
): Asker & { readonly expiresAtMs: number } {
  const payload = readPayload(token);
  const { jti, client_id: clientId, azp, act, exp } = payload;
  return {
    jti: readText(jti),
    client: readText(clientId) ?? readText(azp),
    actors: listActors(act),
    declaredClient: readText(declared),
    expiresAtMs: typeof exp === 'number' ? exp * 1000 : 0,
  };
}

function readPayload(token: string): Readonly<Record<string, unknown>> {
  const [, payload = ''] = token.split('.');
  try {
    const parsed: unknown = JSON.parse(Buffer.from(payload, 'base64url').toString('utf8'));
    return isRecord(parsed) ? parsed : {};
  } catch {
    return {};
  }
}

function readText(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value.slice(0, TEXT_LENGTH_MAX).toWellFormed() : null;
}

/** The chain of `act` claims, which holds the one before in each. */
function listActors(claim: unknown): Actor[] {
  const actors: Actor[] = [];
  for (let act = claim; isRecord(act) && actors.length < ACTORS_MAX; act = act.act) {
    actors.push({ id: readText(act.sub) ?? '', name: readText(act.name) });
  }
  return actors;
}

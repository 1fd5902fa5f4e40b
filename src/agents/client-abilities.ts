import { isRecord } from '../lib/is-record.ts';
import type { Caller, ClientAbilities } from './caller.ts';
import { CARD_TYPE, CARDS_EXTENSION } from './cards/connect-card.ts';

/** What a client says of itself. */
export type Declared = Pick<Caller, 'abilities' | 'client'>;

const NAME_LENGTH_MAX = 60;

/** What capabilities and client info declare, in whichever revision. */
export function readDeclared(capabilities: unknown, info: unknown): Declared {
  return { abilities: readAbilities(capabilities), client: readName(info) };
}

function readAbilities(capabilities: unknown): ClientAbilities {
  const { elicitation, extensions } = isRecord(capabilities) ? capabilities : {};
  const asking = isRecord(elicitation) ? elicitation : {};
  return {
    opensUrls: isRecord(asking.url),
    fillsForms: isRecord(asking.form),
    showsCards: showsCards(isRecord(extensions) ? extensions[CARDS_EXTENSION] : undefined),
  };
}

function showsCards(extension: unknown): boolean {
  if (!isRecord(extension) || !Array.isArray(extension.mimeTypes)) return false;
  const types: readonly unknown[] = extension.mimeTypes;
  return types.includes(CARD_TYPE);
}

function readName(info: unknown): string | undefined {
  if (!isRecord(info)) return undefined;
  const name = typeof info.title === 'string' && info.title !== '' ? info.title : info.name;
  return typeof name === 'string' && name !== '' ? name.slice(0, NAME_LENGTH_MAX).toWellFormed() : undefined;
}

/** Of those that `writeSessionId` makes. */
export const SESSION_ID_LENGTH_MAX = 320;
const SESSION_ID = /^client(-url)?(-form)?(-card)?\.([\w-]{0,240})\.[0-9a-f-]{36}$/;

/**
 * Sessions of clients before 2026-07-28 hold nothing but what their `initialize` declared, and are known by their id
 * alone, so that any process answers. A client that makes one up tells a lie about itself.
 */
export function writeSessionId({ abilities, client = '' }: Declared, unique: string): string {
  const { opensUrls, fillsForms, showsCards } = abilities;
  const names = `${opensUrls ? '-url' : ''}${fillsForms ? '-form' : ''}${showsCards ? '-card' : ''}`;
  return `client${names}.${Buffer.from(client).toString('base64url')}.${unique}`;
}

export function readSession(sessionId: string | null): Declared {
  const [, url, form, card, name = ''] = SESSION_ID.exec(sessionId ?? '') ?? [];
  const client = Buffer.from(name, 'base64url').toString('utf8');
  return {
    abilities: {
      opensUrls: url !== undefined,
      fillsForms: form !== undefined,
      showsCards: card !== undefined,
    },
    client: readName({ name: client }),
  };
}

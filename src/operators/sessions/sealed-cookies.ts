import type { IncomingMessage } from 'node:http';
import { z } from 'zod';
import { hostCookie, hostCookieName, readCookie } from '../../http/cookies.ts';
import { openOrElse, type Vault } from '../../platform/vault.ts';

const VALUE_LENGTH_MAX = 4_000;

/**
 * A cookie that holds something for some minutes which only the gateway can read and make; bound to `subject`, such as an
 * operator's id. `schema` says what is in it.
 */
export function createSealedCookie<Content>(options: {
  name: string;
  schema: z.ZodType<Content>;
  lifetimeSeconds: number;
  vault: Vault;
  publicUrl: string;
  now(): number;
}) {
  const { name, vault, publicUrl, lifetimeSeconds, now } = options;
  const envelope = z.object({ untilMs: z.number(), content: options.schema });
  const contextOf = (subject: string) => ({ table: 'cookies', column: name, rowId: subject, projectId: '' });

  function open(value: string, subject: string): unknown {
    return openOrElse(() => JSON.parse(vault.open(value, contextOf(subject))), undefined);
  }

  return {
    /** `Set-Cookie` with the content. */
    make(content: Content, subject = ''): string {
      const text = JSON.stringify({ untilMs: now() + lifetimeSeconds * 1_000, content });
      return hostCookie(name, vault.seal(text, contextOf(subject)), publicUrl, lifetimeSeconds);
    },

    /** The content; undefined without the cookie, with another's, and when it is too old. */
    read(request: Pick<IncomingMessage, 'headers'>, subject = ''): Content | undefined {
      const value = readCookie(request, hostCookieName(name, publicUrl));
      if (value === undefined || value.length > VALUE_LENGTH_MAX) return undefined;
      const parsed = envelope.safeParse(open(value, subject));
      return parsed.success && parsed.data.untilMs > now() ? parsed.data.content : undefined;
    },

    /** `Set-Cookie` that takes it away. */
    removed: (): string => hostCookie(name, '', publicUrl, 0),
  };
}

export type SealedCookie<Content> = ReturnType<typeof createSealedCookie<Content>>;

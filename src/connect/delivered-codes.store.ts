import { isFreeHost } from '../catalog/facts/file-urls.ts';
import { resolveUrl } from '../catalog/facts/resolve-url.ts';
import { positionsIn } from '../catalog/facts/url-template.ts';
import type { Provider } from '../catalog/schema/provider.schema.ts';
import { sha256 } from '../lib/opaque-tokens.ts';
import type { Db } from '../platform/postgres/database.ts';
import { isCustomId } from '../providers/custom-description.ts';

export type DeliveredCodes = ReturnType<typeof createDeliveredCodesStore>;

/**
 * Remembers for a day which authorization codes were sent to a token endpoint that a project configured. A malicious
 * authorization server may redirect browsers to another provider's, which then answers here (mix-up, RFC 9700 4.4), and
 * so collect codes of another project's client. It cannot redeem them without that client's secret, but it could bring
 * them to the callback in a session of that client; so a code that was sent to one token endpoint is never sent to
 * another.
 */
export function createDeliveredCodesStore({ db }: { db: Db }) {
  return {
    /** False where the code is not to be sent to this provider's token endpoint. To be asked before it is sent. */
    async claim(
      code: string,
      provider: Provider,
      variables: Readonly<Record<string, string>>,
    ): Promise<boolean> {
      const tokenUrl = resolveUrl(provider.tokenUrl ?? '', provider, variables);
      // Nothing will be sent: the token request itself reports the invalid address.
      if (!tokenUrl.ok) return true;
      const code_hash = sha256(code);
      const token_origin = new URL(tokenUrl.url).origin;
      if (isTokenHostProjectControlled(provider)) {
        await db('delivered_codes').insert({ code_hash, token_origin }).onConflict('code_hash').ignore();
      }
      const row = await db('delivered_codes').where({ code_hash }).first<{ token_origin: string }>();
      return row === undefined || row.token_origin === token_origin;
    },

    async purgeOfAnyProject(): Promise<void> {
      await db('delivered_codes').where('delivered_at', '<', db.raw(`now() - interval '1 day'`)).delete();
    },
  };
}

/** True where the managers of a project, or an MCP server, decide which host gets the codes. */
function isTokenHostProjectControlled({ id, mcp, tokenUrl = '' }: Provider): boolean {
  return isCustomId(id) || mcp !== undefined || [...positionsIn(tokenUrl).values()].some(isFreeHost);
}

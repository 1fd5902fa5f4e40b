import { z } from 'zod';
import { HttpError } from '../http/errors.ts';

const id = z.string().min(1).max(60).nullable().optional();

/** Members of a request that choose one of the provider's ways to authenticate. */
export const authMethodMembers = {
  authMethod: id.meta({
    description:
      'Which of the provider’s ways to authenticate it uses: an id among its `grants` in the catalog. Left out or null: the provider’s usual one. Refused while connections exist.',
  }),
  /** Its first name, which RFC 6749 uses for something else. */
  grant: id.meta({ description: 'The earlier name of `authMethod`; give one of the two.', deprecated: true }),
};

type Chosen = { readonly authMethod?: string | null | undefined; readonly grant?: string | null | undefined };

/** The way to authenticate that a request names; undefined where it names none. */
export function readAuthMethod({ authMethod, grant }: Chosen): string | null | undefined {
  if (authMethod !== undefined && grant !== undefined && authMethod !== grant) {
    const message = 'differs from `grant`, its earlier name; give one of the two';
    throw new HttpError('invalid_request', { errors: [{ path: 'body.authMethod', message }] });
  }
  return authMethod === undefined ? grant : authMethod;
}

import { z } from 'zod';

/**
 * What is sealed with a connection. `values` fill the catalog's templates by name: `accessToken`, or `apiKey`, or
 * `username` and `password`, plus any variable that is secret. The refresh token never leaves the token endpoint's
 * code, so it stands apart.
 */
const storedCredentials = z.object({
  values: z.record(z.string(), z.string()),
  refreshToken: z.string().nullable(),
});

export type StoredCredentials = z.infer<typeof storedCredentials>;

/** What the credentials of a connection are sealed for. */
export function credentialsContext(rowId: string, projectId: string) {
  return { table: 'connections', column: 'credentials_sealed', rowId, projectId };
}

export function packCredentials(credentials: StoredCredentials): string {
  return JSON.stringify(credentials);
}

/** Throws where the text is not what `packCredentials` makes: a fault of ours, never of a caller. */
export function unpackCredentials(text: string): StoredCredentials {
  return storedCredentials.parse(JSON.parse(text));
}

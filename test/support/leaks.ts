import type { Knex } from 'knex';

export type Secrets = ReadonlyMap<string, string>;

/** The secret as it might stand somewhere: plain, quoted in JSON, in a URL, in hexadecimal, and in base64. */
export function listDisguises(secret: string): string[] {
  const bytes = Buffer.from(secret);
  // In base64 three bytes make four characters, so that what stands before the secret shifts its text in three ways.
  const base64 = [0, 1, 2].map((shift) => {
    const text = Buffer.concat([Buffer.alloc(shift), bytes])
      .toString('base64')
      .replace(/=+$/, '');
    return text.slice(shift === 0 ? 0 : 4, -2);
  });
  const plain = [
    secret,
    JSON.stringify(secret).slice(1, -1),
    encodeURIComponent(secret),
    bytes.toString('hex'),
  ];
  return [...new Set([...plain, ...base64, ...base64.map(toUrlAlphabet)])];
}

/** Names of the secrets that a text holds in any disguise. */
export function findLeaks(text: string, secrets: Secrets): string[] {
  return [...secrets]
    .filter(([, secret]) => listDisguises(secret).some((form) => text.includes(form)))
    .map(([name]) => name);
}

/** Every row of every table as text, each line beginning with its table. */
export async function dumpDatabase(knex: Knex): Promise<string> {
  const { rows: tables } = await knex.raw<{ rows: { schema: string; name: string }[] }>(
    `SELECT schemaname AS schema, tablename AS name FROM pg_tables
     WHERE schemaname NOT IN ('pg_catalog', 'information_schema')`,
  );
  const lines: string[] = [];
  for (const { schema, name } of tables) {
    const { rows } = await knex.raw<{ rows: { line: string }[] }>(
      'SELECT row_to_json(t)::text AS line FROM ??.?? t',
      [schema, name],
    );
    lines.push(...rows.map(({ line }) => `${name} ${line}`));
  }
  return lines.join('\n');
}

function toUrlAlphabet(base64: string): string {
  return base64.replaceAll('+', '-').replaceAll('/', '_');
}

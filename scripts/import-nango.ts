import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { z } from 'zod';
import { createGatewayApi } from './nango/gateway-api.ts';
import { importFromNango } from './nango/import.ts';
import type { Names, UserSource } from './nango/mapping.ts';
import { createNangoApi } from './nango/nango-api.ts';
import { type Report, renderReport } from './nango/report.ts';
import { createRequester, RequestError } from './nango/request.ts';

const USAGE = `Brings the integrations and connections of a Nango environment over into a project of the gateway.

  npm run import:nango -- [--dry-run] [--user end-user|connection-id|tag:<name>]
                          [--provider <Nango's name>=<ours>]... [--report <file.json>]

Environment: NANGO_URL (default https://api.nango.dev), NANGO_SECRET_KEY, GATEWAY_URL, GATEWAY_API_KEY.
Exit code: 0 everything is there, 2 something could not be brought over, 1 it was broken off.`;

/** Something is wrong with what the script was called with; the message says all. */
class UsageError extends Error {
  override readonly name = 'UsageError';
}

const environment = z.object({
  NANGO_URL: z.url({ protocol: /^https?$/ }).default('https://api.nango.dev'),
  NANGO_SECRET_KEY: z.string({ error: 'is needed' }).min(1),
  GATEWAY_URL: z.url({ protocol: /^https?$/, error: 'is needed: the PUBLIC_URL of the gateway' }),
  GATEWAY_API_KEY: z.string({ error: 'is needed' }).regex(/^igk_/, 'must be a project API key (igk_…)'),
});
const userSource = z.custom<UserSource>(
  (value) => typeof value === 'string' && /^(end-user|connection-id|tag:.+)$/.test(value),
  'must be end-user, connection-id or tag:<name>',
);
const names = z.object({
  providers: z.record(z.string(), z.string()),
  variables: z.record(z.string(), z.record(z.string(), z.string())),
});

try {
  process.exitCode = await main();
} catch (error) {
  console.error(error instanceof RequestError || error instanceof UsageError ? error.message : error);
  process.exitCode = 1;
}

async function main(): Promise<number> {
  const { values } = readArguments();
  if (values.help) {
    console.log(USAGE);
    return 0;
  }
  const settings = checked(environment, process.env, '');
  const report = await importFromNango({
    nango: createNangoApi(createRequester(settings.NANGO_URL, settings.NANGO_SECRET_KEY)),
    gateway: createGatewayApi(createRequester(settings.GATEWAY_URL, settings.GATEWAY_API_KEY)),
    names: readNames(values.provider),
    userSource: checked(userSource, values.user, '--user'),
    dryRun: values['dry-run'],
    now: Date.now,
  });
  tell(report, values.report);
  return report.unmapped.length > 0 ? 2 : 0;
}

function readArguments() {
  try {
    return parseArgs({
      options: {
        'dry-run': { type: 'boolean', default: false },
        user: { type: 'string', default: 'end-user' },
        provider: { type: 'string', multiple: true, default: [] },
        report: { type: 'string' },
        help: { type: 'boolean', default: false },
      },
    });
  } catch (error) {
    throw new UsageError(`${error instanceof Error ? error.message : ''}\n\n${USAGE}`);
  }
}

/** The names that differ, and those that the caller adds or decides otherwise. */
function readNames(given: readonly string[]): Names {
  const file = join(import.meta.dirname, 'nango/names.json');
  const known = names.parse(JSON.parse(readFileSync(file, 'utf8')));
  const added = given.map((pair) => {
    const [theirs, ours] = pair.split('=');
    if (!theirs || !ours) throw new UsageError('--provider: must be <Nango’s name>=<ours>');
    return [theirs, ours] as const;
  });
  return { ...known, providers: { ...known.providers, ...Object.fromEntries(added) } };
}

function checked<Schema extends z.ZodType>(schema: Schema, value: unknown, name: string): z.output<Schema> {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const faults = parsed.error.issues.map(({ path, message }) => `${path.join('.') || name}: ${message}`);
  throw new UsageError(faults.join('\n'));
}

function tell(report: Report, file: string | undefined): void {
  console.log(renderReport(report));
  if (file === undefined) return;
  writeFileSync(file, `${JSON.stringify(report, null, 2)}\n`, { mode: 0o600 });
  console.log(`\nThe report as JSON: ${file}`);
}

import { readFileSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { ConfigurationError } from './configuration-error.ts';

/** Each may stand in a file instead, named by `<NAME>_FILE`: how Docker and Kubernetes hand secrets over. */
export const SECRET_VARIABLES = [
  'DATABASE_URL',
  'DATABASE_DIRECT_URL',
  'VALKEY_URL',
  'NATS_URL',
  'ENCRYPTION_KEYS',
  'SETUP_TOKEN',
  'OIDC_CLIENT_SECRET',
  'SMTP_URL',
  'OTEL_EXPORTER_OTLP_HEADERS',
  'OTEL_EXPORTER_OTLP_TRACES_HEADERS',
  'OTEL_EXPORTER_OTLP_METRICS_HEADERS',
  'OTEL_EXPORTER_OTLP_LOGS_HEADERS',
  'AWS_SECRET_ACCESS_KEY',
  'AWS_SESSION_TOKEN',
  'AZURE_CLIENT_SECRET',
  'VAULT_SECRET_ID',
] as const;
const SECRET_FILE_BYTES_MAX = 64 * 1024;

/** The secrets whose `<NAME>_FILE` names a file, without the line end that editors put there. */
export function readSecretFiles(
  env: Readonly<Record<string, string | undefined>>,
  directory: string,
): Record<string, string> {
  const found: Record<string, string> = {};
  for (const name of SECRET_VARIABLES) {
    const file = env[`${name}_FILE`];
    if (file === undefined) continue;
    if (env[name] !== undefined) throw new ConfigurationError(`${name}: set either ${name} or ${name}_FILE`);
    found[name] = readSecretFile(`${name}_FILE`, resolve(directory, file));
  }
  return found;
}

function readSecretFile(variable: string, file: string): string {
  const isThere = statSync(file, { throwIfNoEntry: false })?.isFile() ?? false;
  if (!isThere) throw new ConfigurationError(`${variable}: a file; ${file} is none`);
  if (statSync(file).size > SECRET_FILE_BYTES_MAX) {
    throw new ConfigurationError(`${variable}: a file of at most ${SECRET_FILE_BYTES_MAX} bytes`);
  }
  try {
    const text = readFileSync(file, 'utf8').replace(/\r?\n$/, '');
    if (text !== '') return text;
  } catch (error) {
    const reason = error instanceof Error && 'code' in error ? String(error.code) : 'unknown';
    throw new ConfigurationError(`${variable}: ${file} cannot be read (${reason})`);
  }
  throw new ConfigurationError(`${variable}: ${file} is empty`);
}

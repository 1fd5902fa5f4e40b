import type { AccessFacts, MandatedCall } from '../../src/mandates/call.ts';
import { mandateEntriesSchema } from '../../src/mandates/mandate.schema.ts';
import { compileMandate } from '../../src/mandates/mandate.ts';

export const CONNECTION = '0192f0c8-0000-7000-8000-000000000002';
const FACTS: AccessFacts = {
  reads: ['/crm/v3/objects/*/search', '/properties/*:runReport', '/rpc/users.list'],
  writes: ['/legacy/delete', '/api/*.delete', '/bin/**', '/rpc/**'],
  batch: ['/composite', '/crm/v3/objects/*/batch/*'],
};

export type Line = Partial<Omit<MandatedCall, 'rawHeaders' | 'rawPath' | 'method'>> & {
  readonly headers?: readonly string[];
};

/** What a mandate of these entries decides of a call such as `GET /a?b=c`. */
export function decide(entries: readonly object[], line: string, given: Line = {}) {
  const [method = '', target = ''] = line.split(' ');
  const [rawPath = '', query] = target.split('?');
  const { headers = [], ...rest } = given;
  const parsed = mandateEntriesSchema.parse(
    entries.map((entry) => ({ type: 'gateway_access', provider: 'hubspot', access: 'write', ...entry })),
  );
  return compileMandate(parsed).decide({
    provider: 'hubspot',
    connectionId: CONNECTION,
    host: undefined,
    method,
    rawPath,
    rawQuery: query === undefined ? '' : `?${query}`,
    rawHeaders: headers,
    hasBody: false,
    facts: FACTS,
    ...rest,
  });
}

/** A form, with what stands behind its media type and further fields. */
export function form(text: string, more: readonly string[] = [], parameters = ''): Line {
  const headers = ['Content-Type', `application/x-www-form-urlencoded${parameters}`, ...more];
  return { hasBody: true, headers, body: Buffer.from(text) };
}

export const isAllowed = (...given: Parameters<typeof decide>) => decide(...given).isAllowed;

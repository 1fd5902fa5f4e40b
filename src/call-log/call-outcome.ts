import { ERRORS } from '../http/error-codes.ts';
import type { ProxiedCall } from '../proxy/contract.ts';

/** Who answered a call with an error: `none` where there was no error. */
export const ORIGINS = ['none', 'gateway', 'provider'] as const;
export type CallOrigin = (typeof ORIGINS)[number];

/**
 * The end of calls that neither the gateway nor the provider answered with an error: the answer broke off, or the caller
 * left before there was one.
 */
const ENDINGS: Readonly<Record<string, string>> = {
  cut_off:
    'The answer ended before it was complete: the caller left, or the provider broke off. Repeat the call if it is safe to repeat.',
  caller_gone: 'The caller left before there was an answer. Give the call more time.',
};

/** Whose error it was, by the rule of `Gateway-Error`: what the gateway answered itself is the gateway's. */
export function findCallOrigin({ error, status }: Pick<ProxiedCall, 'error' | 'status'>): CallOrigin {
  if (error !== undefined && error !== 'cut_off') return 'gateway';
  return status >= 400 ? 'provider' : 'none';
}

/** The code of the gateway's own answer, or how the call ended instead; null for a whole answer of the provider. */
export function findCallCode({ error, status }: Pick<ProxiedCall, 'error' | 'status'>): string | null {
  return error ?? (status === 0 ? 'caller_gone' : null);
}

/** What to do about a code that `codeOf` gave. */
export function findRemedy(code: string | null): string | null {
  if (code === null) return null;
  const known = Object.entries(ERRORS).find(([name]) => name === code);
  return known?.[1].remedy ?? ENDINGS[code] ?? null;
}

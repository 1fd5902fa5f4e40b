import { AUTHORIZATION_ERRORS } from './error-tables/authorization.ts';
import { CALLER_ERRORS } from './error-tables/callers.ts';
import type { ErrorEntry } from './error-tables/entry.ts';
import { OBJECT_ERRORS } from './error-tables/objects.ts';
import { REQUEST_ERRORS } from './error-tables/request.ts';
import { RESOURCE_ERRORS } from './error-tables/resources.ts';
import { SERVICE_ERRORS } from './error-tables/service.ts';

/**
 * Every error code of the gateway's own answers. Codes are API: they are added, never renamed or given another
 * status. The table is shown at /docs/errors and decides what the caller reads; scripts/error-help has what operators do.
 */
export const ERRORS = {
  ...REQUEST_ERRORS,
  ...CALLER_ERRORS,
  ...RESOURCE_ERRORS,
  ...OBJECT_ERRORS,
  ...AUTHORIZATION_ERRORS,
  ...SERVICE_ERRORS,
} as const satisfies Record<string, ErrorEntry>;

/** A stable, snake_case code of the gateway's error table. */
export type ErrorCode = keyof typeof ERRORS;

/** The code as callers read it. */
export function publicCode(code: ErrorCode): string {
  const entry: ErrorEntry = ERRORS[code];
  return entry.code ?? code;
}

/** True for a code of the table. */
export function isErrorCode(text: string): text is ErrorCode {
  return Object.hasOwn(ERRORS, text);
}

/** All codes, in the order of the table. */
export const ERROR_CODES = Object.keys(ERRORS) as ErrorCode[];

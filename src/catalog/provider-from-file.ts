import type { z } from 'zod';
import { isFreeHost, positionOf, secretUrlsOf, urlsOf } from './file-urls.ts';
import {
  type Provider,
  type ProviderFile,
  type ProviderVariable,
  providerFileSchema,
  type VariablePosition,
} from './provider.schema.ts';
import { providerFaults } from './provider-rules.ts';
import { originVariableOf, patternFor } from './url-template.ts';

export type ProviderOptions = {
  /** Lets URLs be http and hosts be local names or addresses. */
  readonly allowPrivateNetworks: boolean;
};

/** One thing wrong with a provider description: the field, and why. */
export type ProviderFault = { readonly path: readonly PropertyKey[]; readonly reason: string };

export type LoadedProvider =
  | { readonly ok: true; readonly provider: Provider }
  | { readonly ok: false; readonly faults: readonly ProviderFault[] };

/**
 * Turns the content of a provider file into a catalog entry, or says everything that is wrong with it.
 * Plain facts (id, name, auth, URLs, …) are enough; every behaviour has a default.
 */
export function providerFromFile(content: unknown, options: ProviderOptions): LoadedProvider {
  const parsed = providerFileSchema.safeParse(content);
  if (!parsed.success) return { ok: false, faults: parsed.error.issues.flatMap(faultsOf) };
  const faults = providerFaults(withoutKeyInBase(parsed.data), options);
  return faults.length > 0 ? { ok: false, faults } : { ok: true, provider: providerOf(parsed.data, options) };
}

function faultsOf(issue: z.core.$ZodIssue): ProviderFault[] {
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => ({
      path: [...issue.path, key],
      reason: 'is not a field that the catalog knows',
    }));
  }
  if (issue.code === 'invalid_union') {
    // The alternative that came closest tells most: an object in place of a text is judged as an object.
    const closest = issue.errors.toSorted((left, right) => depth(right) - depth(left))[0] ?? [];
    const nested = closest.map((inner) => ({ path: [...issue.path, ...inner.path], reason: inner.message }));
    if (nested.length > 0) return nested;
  }
  return [{ path: issue.path, reason: issue.message }];
}

function depth(issues: readonly z.core.$ZodIssue[]): number {
  return Math.max(
    0,
    ...issues.map((issue) => issue.path.length + (issue.code === 'unrecognized_keys' ? 1 : 0)),
  );
}

/** `https://api.example.com/bot{apiKey}`: the key must not sit in an address that is shown, so the path moves. */
function withoutKeyInBase(file: ProviderFile): ProviderFile {
  if (file.apiKey?.in !== 'path' || !file.apiBaseUrl.includes('{apiKey}')) return file;
  const [, origin, path] = /^([a-z]+:\/\/[^/]+)(.*)$/i.exec(file.apiBaseUrl) ?? [];
  if (origin === undefined || path === undefined) return file;
  return { ...file, apiBaseUrl: origin, apiKey: { ...file.apiKey, template: path } };
}

/** The catalog entry of a file that has no fault. */
export function providerOf(given: ProviderFile, options: ProviderOptions): Provider {
  const file = withoutKeyInBase(given);
  const { sources: _sources, agree: _agree, conflicts: _conflicts, ...rest } = file;
  return {
    ...rest,
    // RFC 6749 3.1 has servers ignore parameters that they do not know, so PKCE is sent unless it is known to break.
    pkce: file.pkce ?? true,
    tokenEndpointAuth: file.tokenEndpointAuth ?? 'client_secret_post',
    ...(file.auth === 'basic' && { basic: file.basic ?? { username: '{username}', password: '{password}' } }),
    variables: Object.entries(file.variables).map(([name, given]) => variableOf(name, given, file, options)),
  };
}

type GivenVariable = ProviderFile['variables'][string];

function variableOf(
  name: string,
  given: GivenVariable,
  file: ProviderFile,
  options: ProviderOptions,
): ProviderVariable {
  const position = positionOf(name, file);
  const full =
    typeof given === 'string'
      ? { from: sourceOf(name, position, file), description: given.slice(0, 300), secret: false }
      : given;
  return {
    ...full,
    name,
    path: (typeof given === 'string' ? undefined : given.path) ?? name,
    position,
    pattern: patternFor(position, typeof given === 'string' ? undefined : given.pattern, options),
  };
}

/** Who knows a variable of which the file only says what it is. */
function sourceOf(name: string, position: VariablePosition, file: ProviderFile): ProviderVariable['from'] {
  const elsewhere = urlsOf(file).filter(
    ([field, url]) => field !== 'apiBaseUrl' && url.includes(`{${name}}`),
  );
  const isBaseOnly = originVariableOf(file.apiBaseUrl) === name && elsewhere.length === 0;
  if (file.auth === 'oauth2' && isBaseOnly) return 'token-response';
  // Whoever names the host of the token endpoint receives the client secret: that is the operator, not an end user.
  if (isFreeHost(position) && secretUrlsOf(file).some((url) => url.includes(`{${name}}`)))
    return 'integration';
  return 'user';
}

import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { api } from '../../api/queries.ts';
import { useProjectId } from '../../app/project.ts';
import type { Entry } from './mandate.ts';

export type TriedCall = {
  readonly provider: string;
  readonly method: string;
  readonly path: string;
  readonly body: string;
};

/** What the gateway makes of the call under these entries; of any call, it says what is wrong with the entries. */
export function useExplain(entries: readonly Entry[], call: TriedCall) {
  const projectId = useProjectId();
  const body = {
    projectId,
    entries: [...entries],
    provider: call.provider,
    method: call.method,
    path: call.path.startsWith('/') ? call.path : '/',
    ...(call.body.trim() !== '' && { body: readBody(call.body) }),
  };
  return useQuery({
    queryKey: ['/mandates/explain', body],
    queryFn: () => api.post('/mandates/explain', { body }),
    enabled: call.provider !== '' && entries.length > 0,
    placeholderData: keepPreviousData,
    retry: false,
  });
}

/** JSON where it is an object or an array, which then goes as `application/json`. */
function readBody(text: string): string | Record<string, unknown> | unknown[] {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) || Array.isArray(value) ? value : text;
  } catch {
    return text;
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

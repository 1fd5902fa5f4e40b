import type { Resource } from './resources.ts';

/** What the form of a poll holds. */
export type PollValues = {
  integrationId: string;
  /** The name of a resource of the catalog; empty for the first one. */
  resource: string;
  /** The JSON of a resource in the same shape, in place of the catalog's. */
  custom: string;
  intervalSeconds: string;
  parameters: Record<string, string>;
  backfill: boolean;
  scan: boolean;
};

export const CUSTOM = '(custom)';

/** Which resource the form is about: one of the catalog's, or one described by hand. */
export function chooseResource({ resource }: PollValues, resources: readonly Resource[] | undefined) {
  const isCustom = resources !== undefined && (resource === CUSTOM || resources.length === 0);
  const name = isCustom ? CUSTOM : resource || (resources?.[0]?.name ?? '');
  return { name, isCustom, resource: resources?.find((each) => each.name === name) };
}

/** What the API takes of the form. */
export function buildBody(values: PollValues, resource: Resource | undefined) {
  const given = Object.entries(values.parameters).filter(([, value]) => value.trim() !== '');
  return {
    integrationId: values.integrationId,
    ...(resource ? { resource: resource.name } : { custom: parseObject(values.custom) }),
    intervalSeconds: Number(values.intervalSeconds),
    ...(given.length > 0 && { parameters: Object.fromEntries(given) }),
    backfill: values.backfill ? 'full' : 'none',
    deletes: values.scan ? 'scan' : 'none',
  };
}

/** The object that the JSON is; undefined where it is something else. */
export function parseObject(json: string): object | undefined {
  try {
    const value: unknown = JSON.parse(json);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

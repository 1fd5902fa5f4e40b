/** A path that other software has in this place, with what the gateway has instead. */
const MISTAKEN: readonly (readonly [RegExp, string])[] = [
  [
    /^\/proxy(\/|$)/,
    'Proxied calls have their project in the path: /projects/{projectId}/proxy/{provider}/…, which the page of an integration shows as its proxy address.',
  ],
  [
    /^\/projects\/[^/]+\/(?!proxy(\/|$))/,
    'Of a project only proxied calls are here, at /projects/{projectId}/proxy/{provider}/…; the management API begins with /v1/.',
  ],
  [/^\/api(\/|$)/, 'The management API begins with /v1/, as in /v1/integrations.'],
  [
    /^\/(integrations|connections|connect-sessions|user-tokens|events|polls)(\/|$)/,
    'The management API begins with /v1/, as in /v1/integrations.',
  ],
];

/** What a caller may have meant by an address at which nothing is; empty where that is not known. Pure. */
export function explainAddress(path: string): { readonly detail?: string } {
  const detail = MISTAKEN.find(([pattern]) => pattern.test(path))?.[1];
  return detail === undefined ? {} : { detail };
}

/** Scopes by HubSpot's names (https://developers.hubspot.com/docs/apps/developer-platform/build-apps/authentication/scopes). */
export const SCOPE_DESCRIPTIONS: Readonly<Record<string, string>> = {
  oauth: 'Know which account it is connected to',
  'crm.objects.contacts.read': 'See contacts',
  'crm.objects.contacts.write': 'Create, change and archive contacts',
  'crm.schemas.contacts.read': 'See which properties contacts have',
};

export const SCOPES: readonly string[] = Object.keys(SCOPE_DESCRIPTIONS);

/** Scopes of a request parameter or a grant, in order, each once (RFC 6749, section 3.3). */
export function splitScopes(scope: string | undefined): string[] {
  return [...new Set((scope ?? '').split(' ').filter((name) => name !== ''))];
}

/** Something small to read at providers that many begin with; the operator can type any other path. */
const EXAMPLES: Readonly<Record<string, string>> = {
  'demo-crm': '/crm/v3/objects/contacts?limit=3',
  hubspot: '/crm/v3/objects/contacts?limit=3',
  github: '/user',
  gitlab: '/user',
  slack: '/auth.test',
  notion: '/users/me',
  stripe: '/v1/balance',
  salesforce: '/services/data',
  google: '/oauth2/v3/userinfo',
  asana: '/users/me',
  dropbox: '/users/get_current_account',
  zendesk: '/api/v2/users/me.json',
};

/** A path of the provider's API to begin with. */
export function examplePath(provider: string): string {
  return EXAMPLES[provider] ?? '/';
}

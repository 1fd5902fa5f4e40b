/** What people call a provider beside its name and id. Words of a vendor's products are made by `aliasesOf`. */
const ALIASES: Readonly<Record<string, string>> = {
  'adobe-sign': 'echosign',
  apple: 'icloud apple id siwa',
  'aws-cognito': 'cognito',
  'azure-devops': 'ado vsts tfs',
  'dynamics-365-business-central': 'd365 bc navision msdyn',
  'dynamics-365-finance': 'd365 fo axapta msdyn',
  'dynamics-365-sales': 'd365 crm dataverse msdyn ms crm',
  docusign: 'esign',
  facebook: 'fb meta',
  'google-analytics': 'ga ga4',
  'google-calendar': 'gcal',
  'google-cloud-storage': 'gcs',
  'google-drive': 'gdrive',
  'google-search-console': 'gsc webmaster',
  'google-workspace-admin': 'gsuite g suite',
  google: 'oidc',
  highlevel: 'gohighlevel ghl',
  instagram: 'ig insta meta',
  keap: 'infusionsoft',
  'microsoft-entra-id': 'azure ad aad active directory o365 office365',
  'microsoft-planner': 'ms planner',
  'microsoft-teams': 'ms teams msteams',
  'microsoft-todo': 'ms todo wunderlist',
  monday: 'monday.com mondaycom',
  netsuite: 'oracle erp',
  notion: 'notion.so',
  okta: 'sso',
  onedrive: 'ms one drive skydrive',
  outlook: 'office365 o365 hotmail exchange ms mail microsoft graph calendar',
  quickbooks: 'qbo intuit qb',
  'quickbooks-sandbox': 'qbo intuit qb',
  salesforce: 'sfdc force.com crm',
  'salesforce-sandbox': 'sfdc',
  'salesforce-marketing-cloud': 'sfmc exacttarget',
  sendgrid: 'send grid',
  sharepoint: 'ms share point',
  shopify: 'shop store',
  'stripe-api-key': 'stripe key payments',
  telegram: 'tg bot',
  'whatsapp-business': 'wa whats app meta',
  x: 'twitter tweet',
  youtube: 'yt',
  zendesk: 'zen desk tickets',
  'zoho-crm': 'zcrm',
};

/** Short forms of vendors, which people put before a product: "g sheets", "gsheets", "ms teams", "msteams". */
const VENDORS: readonly (readonly [prefix: RegExp, short: string])[] = [
  [/^google-/, 'g'],
  [/^microsoft-/, 'ms'],
  [/^salesforce-/, 'sf'],
  [/^quickbooks-/, 'qb'],
];

/** Every other name of the provider, with blanks between. */
export function listAliases(id: string): string {
  const vendor = VENDORS.flatMap(([prefix, short]) => {
    const product = id.replace(prefix, '');
    return product === id ? [] : [`${short} ${short}${product.replaceAll('-', '')} ${product}`];
  });
  const joined = id.replaceAll('-', '');
  return [ALIASES[id] ?? '', ...vendor, joined].join(' ').trim();
}

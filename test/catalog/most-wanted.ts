/**
 * The products that people connect most, by what integration products and app directories list first: one line for each
 * field of work. What test/catalog/most-wanted.test.ts asks of an entry holds for all of these.
 */
export const MOST_WANTED: readonly string[] = `
  activecampaign affinity attio bullhorn close copper dynamics-365-sales freshsales highlevel hubspot keap pipedrive
  salesforce salesforce-sandbox zendesk-sell zoho zoho-bigin zoho-crm
  apollo gong hunter instantly outreach salesloft zoominfo
  braze brevo constant-contact drip kit zoho-campaigns customer-io google-ads iterable klaviyo mailchimp mailgun meta-ads microsoft-ads postmark
  salesforce-marketing-cloud segment sendgrid snapchat-ads tiktok-ads
  freshdesk freshservice front gorgias help-scout intercom kustomer servicenow zendesk zoho-desk
  aircall dialpad discord google-chat google-meet microsoft-teams ringcentral slack telegram twilio webex
  whatsapp-business zoho-cliq zoom
  cal-com calendly gmail google-calendar google-contacts microsoft-365 outlook zoho-bookings zoho-calendar zoho-mail
  adobe-sign airtable coda confluence docusign dropbox-sign eventbrite google google-docs google-forms google-sheets
  google-slides jotform make microsoft-excel microsoft-powerpoint microsoft-word notion onenote pandadoc smartsheet surveymonkey typeform
  zoho-creator zoho-sign
  aha asana basecamp clickup clockify google-tasks harvest jira jira-service-management linear microsoft-planner
  microsoft-todo monday podio productboard shortcut teamwork todoist toggl trello wrike zoho-projects
  aws box dropbox google-cloud-storage google-drive google-photos onedrive sharepoint
  brex chargebee exact-online freshbooks netsuite quickbooks ramp sage-accounting sage-intacct wave xero zoho-books
  zoho-billing zoho-inventory zoho-invoice dynamics-365-finance fortnox freeagent
  amazon-selling-partner bigcommerce ebay etsy shopify squarespace woocommerce
  gocardless mollie paypal plaid square stripe stripe-api-key
  ashby bamboohr deel factorial greenhouse gusto hibob lever paylocity personio rippling smartrecruiters workable workday zoho-people
  zoho-recruit
  anthropic azure-devops bitbucket contentful datadog datadog-api-key digitalocean
  elevenlabs github gitlab google-gemini heroku openai pagerduty sentry
  supabase vercel webflow wordpress
  amplitude databricks domo google-analytics google-bigquery google-business-profile google-search-console looker mixpanel power-bi snowflake
  zoho-analytics
  auth0 google-workspace-admin microsoft-entra-id okta workos
  canva facebook figma instagram linkedin miro pinterest reddit jobber servicetitan spotify strava tiktok twitch x youtube
  dynamics-365-business-central`
  .trim()
  .split(/\s+/);

/** Where nobody registers an application or a key by oneself, and so no address of a portal can be given. */
export const WITHOUT_PORTAL: Readonly<Record<string, string>> = {
  affinity: 'Keys are made in the settings of each company’s own address.',
  aircall: 'Aircall registers applications itself.',
  copper: 'Copper registers applications itself.',
  dialpad: 'Dialpad registers applications itself.',
  greenhouse: 'Greenhouse registers applications of partners itself.',
  personio: 'Credentials are made in the settings of each company’s own address.',
  smartrecruiters: 'Keys are made in the settings of each company.',
};

const OF_THE_CLIENT = 'The token is for the client that the operator entered; no call tells whose it is.';
const TELLS_NOTHING = 'No call that every such credential may make tells whose it is.';

/** Where nothing tells which account was connected. */
export const WITHOUT_ACCOUNT: Readonly<Record<string, string>> = {
  amplitude: TELLS_NOTHING,
  anthropic: TELLS_NOTHING,
  ashby: TELLS_NOTHING,
  braze: TELLS_NOTHING,
  'google-gemini': TELLS_NOTHING,
  greenhouse: TELLS_NOTHING,
  hibob: TELLS_NOTHING,
  iterable: TELLS_NOTHING,
  lever: TELLS_NOTHING,
  mailgun: TELLS_NOTHING,
  paylocity: OF_THE_CLIENT,
  personio: OF_THE_CLIENT,
  productboard: TELLS_NOTHING,
  'sage-intacct': TELLS_NOTHING,
  servicetitan: OF_THE_CLIENT,
  smartrecruiters: TELLS_NOTHING,
  'zoho-analytics': TELLS_NOTHING,
  'zoho-billing': TELLS_NOTHING,
  'zoho-bookings': TELLS_NOTHING,
  'zoho-campaigns': TELLS_NOTHING,
  'zoho-cliq': TELLS_NOTHING,
  'zoho-creator': TELLS_NOTHING,
  'zoho-sign': TELLS_NOTHING,
  zoominfo: TELLS_NOTHING,
};

const CHOSEN_THERE = 'What the application may do is chosen at the provider, not asked for.';
const AS_THE_USER = 'The application may do what the user may.';

/** Where an application asks for no scopes. */
export const WITHOUT_SCOPES: Readonly<Record<string, string>> = {
  aha: AS_THE_USER,
  'amazon-selling-partner': CHOSEN_THERE,
  basecamp: AS_THE_USER,
  bullhorn: AS_THE_USER,
  clickup: AS_THE_USER,
  'dynamics-365-sales': 'The scope names the organization that the user enters.',
  drip: AS_THE_USER,
  eventbrite: AS_THE_USER,
  'exact-online': CHOSEN_THERE,
  factorial: AS_THE_USER,
  freeagent: AS_THE_USER,
  front: CHOSEN_THERE,
  'help-scout': AS_THE_USER,
  intercom: CHOSEN_THERE,
  jobber: CHOSEN_THERE,
  mailchimp: AS_THE_USER,
  notion: CHOSEN_THERE,
  podio: AS_THE_USER,
  rippling: CHOSEN_THERE,
  segment: CHOSEN_THERE,
  supabase: CHOSEN_THERE,
  teamwork: AS_THE_USER,
  'tiktok-ads': CHOSEN_THERE,
  workday: CHOSEN_THERE,
  workos: 'Tokens tell who signed in and no more.',
};

/** Where it is open whether the API has a further host, and why. */
export const HOSTS_UNKNOWN: Readonly<Record<string, string>> = {
  'cal-com':
    'Accounts of cal.eu have an API of their own, which Cal.com does not document; where they authorize is not known.',
  lever:
    'Accounts in Europe have an API of their own, which Lever documents for job postings only; where they authorize is not known.',
  productboard:
    'Accounts in Europe have an API of their own, which Productboard’s guide to OAuth does not name.',
  rippling: 'No word of Rippling was found on whether tokens of OAuth count at rest.ripplingapis.com.',
  'sage-intacct': 'No document of Sage was found that says where the REST API is.',
  shortcut:
    'Files lie on a host of their own, and no word of Shortcut was found on what it takes as a credential.',
};

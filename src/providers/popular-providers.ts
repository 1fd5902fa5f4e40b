/** The forty that applications ask for most, in the order in which the dashboard shows them at first. */
export const POPULAR_PROVIDERS: readonly string[] = [
  ...[
    'hubspot',
    'salesforce',
    'slack',
    'gmail',
    'google-calendar',
    'google-drive',
    'google-sheets',
    'outlook',
  ],
  ...['microsoft-365', 'microsoft-teams', 'github', 'gitlab', 'jira', 'confluence', 'notion', 'linear'],
  ...['asana', 'monday', 'clickup', 'trello', 'airtable', 'stripe', 'shopify', 'quickbooks'],
  ...['xero', 'zendesk', 'intercom', 'freshdesk', 'pipedrive', 'zoho-crm', 'mailchimp', 'klaviyo'],
  ...['zoom', 'calendly', 'dropbox', 'sharepoint', 'docusign', 'linkedin', 'google-ads', 'openai'],
];

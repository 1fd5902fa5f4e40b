/** A delivery of each provider whose events are mapped, after its documentation, and the events that it is. */
export type Example = {
  readonly id: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: unknown;
  /** Type without the provider, account and id of the object of each event. */
  readonly events: readonly (readonly [type: string, account: string | null, objectId: string | null])[];
};

const FORM = { 'content-type': 'application/x-www-form-urlencoded' };

const HUBSPOT = {
  eventId: 1,
  subscriptionId: 2,
  portalId: 62515,
  appId: 3,
  occurredAt: 1564113600000,
  attemptNumber: 0,
};
const GRAPH = {
  subscriptionId: 's1',
  clientState: 'c',
  tenantId: 't1',
  subscriptionExpirationDateTime: '2026-11-23T00:00:00Z',
};
const ZOHO = {
  server_time: 1700000000000,
  channel_id: '1000',
  token: 't',
  resource_uri: 'https://www.zohoapis.com/crm/v8/Leads',
};
const SALESFORCE = `<?xml version="1.0" encoding="UTF-8"?>
<soapenv:Envelope xmlns:soapenv="http://schemas.xmlsoap.org/soap/envelope/"><soapenv:Body>
<notifications xmlns="http://soap.sforce.com/2005/09/outbound"><OrganizationId>00D000000000001EAA</OrganizationId>
<ActionId>04k000000000001AAA</ActionId><SessionId xsi:nil="true"/>
<Notification><Id>04l000000000001AAA</Id><sObject xsi:type="sf:Contact" xmlns:sf="urn:sobject.enterprise.soap.sforce.com"><sf:Id>003000000000001AAA</sf:Id></sObject></Notification>
<Notification><Id>04l000000000002AAA</Id><sObject xsi:type="sf:Contact" xmlns:sf="urn:sobject.enterprise.soap.sforce.com"><sf:Id>003000000000002AAA</sf:Id></sObject></Notification>
</notifications></soapenv:Body></soapenv:Envelope>`;

export const EXAMPLES: readonly Example[] = [
  {
    id: 'hubspot',
    body: [
      { ...HUBSPOT, subscriptionType: 'contact.creation', objectId: 123 },
      { ...HUBSPOT, subscriptionType: 'deal.propertyChange', objectId: 124, propertyName: 'amount' },
      { ...HUBSPOT, subscriptionType: 'company.deletion', objectId: 125 },
      { ...HUBSPOT, subscriptionType: 'object.creation', objectTypeId: '0-5', objectId: 126 },
      { ...HUBSPOT, subscriptionType: 'contact.associationChange', fromObjectId: 127, toObjectId: 128 },
    ],
    events: [
      ['contact.created', '62515', '123'],
      ['deal.updated', '62515', '124'],
      ['company.deleted', '62515', '125'],
      ['ticket.created', '62515', '126'],
      ['contact.updated', '62515', '127'],
    ],
  },
  {
    id: 'salesforce',
    body: SALESFORCE,
    events: [
      ['contact.updated', '00D000000000001EAA', '003000000000001AAA'],
      ['contact.updated', '00D000000000001EAA', '003000000000002AAA'],
    ],
  },
  {
    id: 'pipedrive',
    body: {
      meta: {
        action: 'change',
        entity: 'person',
        entity_id: 'p1',
        company_id: 'c1',
        id: 'm1',
        timestamp: '2026-11-22T10:00:00.000Z',
        version: '2.0',
      },
      data: { id: 1 },
    },
    events: [['person.updated', 'c1', 'p1']],
  },
  {
    id: 'pipedrive',
    body: {
      event: 'added.deal',
      v: 1,
      meta: { id: 7, company_id: 5, timestamp: 1700000000 },
      current: { id: 7 },
    },
    events: [['deal.created', '5', '7']],
  },
  {
    id: 'zoho-crm',
    body: { ...ZOHO, module: 'Leads', operation: 'insert', ids: ['111', '112'] },
    events: [
      ['lead.created', null, '111'],
      ['lead.created', null, '112'],
    ],
  },
  {
    id: 'attio',
    headers: { 'idempotency-key': 'k1' },
    body: {
      webhook_id: 'w1',
      events: [
        { event_type: 'record.created', id: { workspace_id: 'ws1', object_id: 'o1', record_id: 'r1' } },
        { event_type: 'list-entry.deleted', id: { workspace_id: 'ws1', list_id: 'l1', entry_id: 'e1' } },
        { event_type: 'note-content.updated', id: { workspace_id: 'ws1', note_id: 'n1' } },
      ],
    },
    events: [
      ['record.created', 'ws1', 'r1'],
      ['list_entry.deleted', 'ws1', 'e1'],
      ['note.updated', 'ws1', 'n1'],
    ],
  },
  {
    id: 'close',
    body: {
      subscription_id: 'whsub_1',
      event: {
        id: 'ev_1',
        object_type: 'activity.call',
        action: 'created',
        object_id: 'acti_1',
        organization_id: 'orga_1',
        date_created: '2026-11-22T10:00:00.000000',
      },
    },
    events: [['activity_call.created', 'orga_1', 'acti_1']],
  },
  {
    id: 'slack',
    body: {
      token: 'x',
      team_id: 'T1',
      api_app_id: 'A1',
      type: 'event_callback',
      event_id: 'Ev1',
      event_time: 1700000000,
      event: { type: 'message', channel: 'C1', user: 'U1', text: 'hi', ts: '1700000000.000100' },
    },
    events: [['message.created', 'T1', '1700000000.000100']],
  },
  {
    id: 'slack',
    body: {
      team_id: 'T1',
      type: 'event_callback',
      event_id: 'Ev2',
      event_time: 1700000000,
      event: { type: 'message', subtype: 'message_deleted', channel: 'C1', ts: '1700000001.000100' },
    },
    events: [['message.deleted', 'T1', '1700000001.000100']],
  },
  {
    id: 'slack',
    headers: FORM,
    body: `payload=${encodeURIComponent('{"type":"block_actions","team":{"id":"T1"},"trigger_id":"1.2"}')}`,
    events: [['block_actions.other', 'T1', null]],
  },
  {
    id: 'github',
    headers: { 'x-github-event': 'issues', 'x-github-delivery': 'g1' },
    body: {
      action: 'opened',
      issue: { id: 1 },
      repository: { id: 2, owner: { id: 3 } },
      installation: { id: 4 },
    },
    events: [['issue.created', '4', '1']],
  },
  {
    id: 'github',
    headers: { 'x-github-event': 'push', 'x-github-delivery': 'g2' },
    body: { ref: 'refs/heads/main', repository: { id: 2, owner: { id: 3 } } },
    events: [['push.created', '3', '2']],
  },
  {
    id: 'stripe',
    body: {
      id: 'evt_1',
      type: 'customer.subscription.updated',
      account: 'acct_1',
      created: 1700000000,
      data: { object: { id: 'sub_1' } },
    },
    events: [['customer_subscription.updated', 'acct_1', 'sub_1']],
  },
  {
    id: 'shopify',
    headers: {
      'x-shopify-topic': 'orders/create',
      'x-shopify-shop-domain': 'blue.myshopify.com',
      'x-shopify-webhook-id': 'w1',
    },
    body: {
      id: 820982911946154508n.toString(),
      admin_graphql_api_id: 'gid://shopify/Order/820982911946154508',
    },
    events: [['order.created', 'blue.myshopify.com', '820982911946154508']],
  },
  {
    id: 'intercom',
    body: {
      type: 'notification_event',
      app_id: 'a86dr8yl',
      topic: 'conversation.user.created',
      id: 'notif_1',
      created_at: 1700000000,
      data: { item: { type: 'conversation', id: '1' } },
    },
    events: [['conversation.created', 'a86dr8yl', '1']],
  },
  {
    id: 'zendesk',
    body: {
      type: 'zen:event-type:ticket.created',
      account_id: 22129848,
      id: '01H',
      time: '2026-11-22T10:00:00Z',
      subject: 'zen:ticket:1',
      detail: { id: '1' },
      event: {},
    },
    events: [['ticket.created', '22129848', '1']],
  },
  {
    id: 'outlook',
    body: {
      value: [
        {
          ...GRAPH,
          changeType: 'created',
          resource: 'Users/u/Messages/m1',
          resourceData: { '@odata.type': '#Microsoft.Graph.Message', id: 'm1' },
        },
      ],
    },
    events: [['message.created', 't1', 'm1']],
  },
  {
    id: 'onedrive',
    body: { value: [{ ...GRAPH, changeType: 'updated', resource: 'me/drive/root' }] },
    events: [['resource.updated', 't1', 'me/drive/root']],
  },
  {
    id: 'sharepoint',
    body: { value: [{ ...GRAPH, lifecycleEvent: 'subscriptionRemoved', resource: 'sites/s/lists/l' }] },
    events: [['subscription.deleted', 't1', 'sites/s/lists/l']],
  },
  {
    id: 'microsoft-teams',
    body: {
      value: [
        {
          ...GRAPH,
          changeType: 'created',
          resource: 'chats/1',
          resourceData: { '@odata.type': '#microsoft.graph.chatMessage', id: '17' },
        },
      ],
    },
    events: [['message.created', 't1', '17']],
  },
  {
    id: 'microsoft-entra-id',
    body: {
      value: [
        {
          ...GRAPH,
          changeType: 'deleted',
          resource: 'Users/u1',
          resourceData: { '@odata.type': '#Microsoft.Graph.User', id: 'u1' },
        },
      ],
    },
    events: [['user.deleted', 't1', 'u1']],
  },
  {
    id: 'google-calendar',
    headers: {
      'x-goog-channel-id': 'ch1',
      'x-goog-message-number': '10',
      'x-goog-resource-id': 'res1',
      'x-goog-resource-state': 'exists',
      'x-goog-channel-token': 'secret',
    },
    body: '',
    events: [['calendar.updated', null, 'res1']],
  },
  {
    id: 'jira',
    body: {
      timestamp: 1700000000000,
      webhookEvent: 'jira:issue_updated',
      issue: { id: '10000', self: 'https://acme.atlassian.net/rest/api/2/issue/10000' },
      matchedWebhookIds: [1],
    },
    events: [['issue.updated', null, '10000']],
  },
  {
    id: 'jira',
    body: {
      timestamp: 1700000000000,
      webhookEvent: 'comment_created',
      comment: { id: '5' },
      issue: { id: '10000' },
    },
    events: [['comment.created', null, '5']],
  },
  {
    id: 'asana',
    body: {
      events: [
        {
          action: 'changed',
          created_at: '2026-11-22T10:00:00.000Z',
          resource: { gid: '1', resource_type: 'task' },
          change: { field: 'name' },
        },
      ],
    },
    events: [['task.updated', null, '1']],
  },
  { id: 'asana', body: { events: [] }, events: [] },
  { id: 'asana', body: {}, events: [] },
  {
    id: 'linear',
    headers: { 'linear-delivery': 'd1' },
    body: {
      action: 'remove',
      type: 'Issue',
      organizationId: 'o1',
      createdAt: '2026-11-22T10:00:00.000Z',
      webhookTimestamp: 1700000000000,
      data: { id: 'i1' },
    },
    events: [['issue.deleted', 'o1', 'i1']],
  },
  {
    id: 'notion',
    body: {
      id: 'n1',
      timestamp: '2026-11-22T10:00:00.000Z',
      workspace_id: 'w1',
      type: 'page.content_updated',
      entity: { id: 'p1', type: 'page' },
      attempt_number: 1,
    },
    events: [['page.updated', 'w1', 'p1']],
  },
  {
    id: 'typeform',
    body: {
      event_id: 'e1',
      event_type: 'form_response',
      form_response: { form_id: 'f1', token: 'tok1', submitted_at: '2026-11-22T10:00:00Z' },
    },
    events: [['response.created', null, 'tok1']],
  },
  {
    id: 'calendly',
    body: {
      event: 'invitee.created',
      created_at: '2026-11-22T10:00:00.000000Z',
      created_by: 'https://api.calendly.com/users/A',
      payload: { uri: 'https://api.calendly.com/scheduled_events/E/invitees/I' },
    },
    events: [
      [
        'invitee.created',
        'https://api.calendly.com/users/A',
        'https://api.calendly.com/scheduled_events/E/invitees/I',
      ],
    ],
  },
  {
    id: 'mailchimp',
    headers: FORM,
    body: 'type=subscribe&fired_at=2026-11-22+10%3A00%3A00&data%5Bid%5D=8a25ff1d98&data%5Blist_id%5D=a6b5da1054&data%5Bemail%5D=api%40mailchimp.com',
    events: [['member.created', null, '8a25ff1d98']],
  },
  {
    id: 'dropbox',
    body: { list_folder: { accounts: ['dbid:AAH4f99', 'dbid:AAH4f98'] }, delta: { users: [1, 2] } },
    events: [
      ['account.updated', 'dbid:AAH4f99', 'dbid:AAH4f99'],
      ['account.updated', 'dbid:AAH4f98', 'dbid:AAH4f98'],
    ],
  },
  {
    id: 'zoom',
    body: {
      event: 'meeting.started',
      event_ts: 1700000000000,
      payload: { account_id: 'ac1', object: { id: '123', uuid: 'u==' } },
    },
    events: [['meeting.updated', 'ac1', 'u==']],
  },
  {
    id: 'facebook',
    body: {
      object: 'page',
      entry: [
        { id: 'pg1', time: 1700000000, changes: [{ field: 'feed', value: { post_id: 'po1' } }] },
        { id: 'pg2', time: 1700000001, messaging: [{ message: { mid: 'm1' } }] },
      ],
    },
    events: [
      ['page.other', 'pg1', 'po1'],
      ['page.other', 'pg2', 'm1'],
    ],
  },
  {
    id: 'quickbooks',
    body: {
      eventNotifications: [
        {
          realmId: 'r1',
          dataChangeEvent: {
            entities: [
              { name: 'Customer', id: '1', operation: 'Create', lastUpdated: '2026-11-22T10:00:00Z' },
            ],
          },
        },
      ],
    },
    events: [['customer.created', 'r1', '1']],
  },
  {
    id: 'xero',
    body: {
      events: [
        {
          eventCategory: 'INVOICE',
          eventType: 'UPDATE',
          resourceId: 'in1',
          tenantId: 'te1',
          eventDateUtc: '2026-11-22T10:00:00.000',
        },
      ],
    },
    events: [['invoice.updated', 'te1', 'in1']],
  },
];

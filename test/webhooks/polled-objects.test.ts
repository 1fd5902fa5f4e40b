import { describeWebhooks } from '../../src/webhooks/message/description.ts';
import { nameEvent } from '../../src/webhooks/processing/event-names.ts';
import { builtInCatalog } from '../support/built-in-catalog.ts';

type NamedChange = readonly [providerType: string, objectType?: string];

const graph = (type: string): NamedChange => [`#microsoft.graph.${type}:updated`];

/** How a provider's webhooks name a change of what can be polled. */
const WEBHOOKS: Readonly<Record<string, Readonly<Record<string, NamedChange>>>> = {
  attio: { note: ['note.created'], task: ['task.updated'] },
  close: { lead: ['lead.created'], contact: ['contact.updated'], opportunity: ['opportunity.deleted'] },
  github: { issue: ['issues.opened'], repository: ['repository.renamed'] },
  'google-calendar': { calendar: ['exists'] },
  'google-drive': { file: ['update'] },
  hubspot: {
    contact: ['contact.creation'],
    company: ['company.propertyChange'],
    deal: ['deal.deletion'],
    ticket: ['ticket.creation'],
    note: ['object.creation', '0-46'],
    call: ['object.creation', '0-48'],
    email: ['object.propertyChange', '0-49'],
    meeting: ['object.deletion', '0-47'],
    task: ['object.creation', '0-27'],
  },
  'microsoft-entra-id': { user: graph('user'), group: graph('group') },
  'microsoft-teams': { message: graph('chatMessage') },
  onedrive: { file: graph('driveItem') },
  outlook: { message: graph('message'), contact: graph('contact'), event: graph('event') },
  pipedrive: {
    deal: ['deal.create'],
    person: ['person.change'],
    organization: ['organization.delete'],
    activity: ['added.activity'],
    product: ['updated.product'],
    note: ['note.create'],
  },
  salesforce: {
    account: ['record.changed', 'Account'],
    contact: ['record.changed', 'Contact'],
    lead: ['record.changed', 'Lead'],
    opportunity: ['record.changed', 'Opportunity'],
    case: ['record.changed', 'Case'],
    task: ['record.changed', 'Task'],
    event: ['record.changed', 'Event'],
    user: ['record.changed', 'User'],
  },
  sharepoint: { file: graph('driveItem'), list_item: graph('listItem') },
  slack: { channel: ['channel_rename'], user: ['user_change'], message: ['message.message_changed'] },
  'zoho-crm': {
    lead: ['Leads.insert'],
    contact: ['Contacts.update'],
    account: ['Accounts.delete'],
    deal: ['Deals.insert'],
    task: ['Tasks.update'],
    call: ['Calls.insert'],
    event: ['Events.delete'],
  },
};

/** What no webhook reports by a name of its own, and why. */
const BY_POLL_ALONE: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  attio: {
    person: 'webhooks report a record and an id of its kind that every workspace has its own of',
    company: 'as person',
    deal: 'as person',
    user: 'as person',
    workspace: 'as person',
  },
  github: { notification: 'there is no such webhook' },
  hubspot: { object: 'an entry of the journal names its own object; this stands for those without a name' },
  'google-calendar': { event: 'a notice says which calendar has changed, and no more' },
};

const POLLED = builtInCatalog.list().flatMap((provider) => {
  const description = describeWebhooks(provider);
  const objects = [...new Set(Object.values(provider.polls).map(({ object }) => object))];
  return description === undefined ? [] : objects.map((object) => ({ description, object }));
});

describe('an object that can be polled', () => {
  it.each(POLLED.map((each) => [`${each.description.providerId} ${each.object}`, each] as const))(
    '%s has the same name in webhooks',
    (_name, { description: { providerId, events }, object }) => {
      if (BY_POLL_ALONE[providerId]?.[object] !== undefined) return;
      const named = WEBHOOKS[providerId]?.[object];
      expect(named).toBeDefined();
      expect(nameEvent(named?.[0] ?? '', named?.[1], events).object).toBe(object);
    },
  );

  it('stands in these tables only while there is a poll of it', () => {
    const polled = new Set(POLLED.map(({ description, object }) => `${description.providerId} ${object}`));
    const listed = [WEBHOOKS, BY_POLL_ALONE].flatMap((table) =>
      Object.entries(table).flatMap(([id, objects]) =>
        Object.keys(objects).map((object) => `${id} ${object}`),
      ),
    );
    expect(listed.filter((each) => !polled.has(each))).toEqual([]);
    expect(new Set(listed).size).toBe(listed.length);
  });
});

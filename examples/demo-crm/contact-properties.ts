/** The properties a contact can have here, in the shape of HubSpot's properties API. */
const DEFINITIONS = [
  ['email', 'Email', 'string', 'text', 'contactinformation'],
  ['firstname', 'First name', 'string', 'text', 'contactinformation'],
  ['lastname', 'Last name', 'string', 'text', 'contactinformation'],
  ['phone', 'Phone number', 'string', 'phonenumber', 'contactinformation'],
  ['company', 'Company name', 'string', 'text', 'contactinformation'],
  ['website', 'Website URL', 'string', 'text', 'contactinformation'],
  ['jobtitle', 'Job title', 'string', 'text', 'contactinformation'],
  ['city', 'City', 'string', 'text', 'contactinformation'],
  ['country', 'Country/Region', 'string', 'text', 'contactinformation'],
  ['lifecyclestage', 'Lifecycle stage', 'enumeration', 'radio', 'contactinformation'],
  ['hs_lead_status', 'Lead status', 'enumeration', 'radio', 'sales_properties'],
  ['annualrevenue', 'Annual revenue', 'number', 'number', 'contactinformation'],
  ['createdate', 'Create date', 'datetime', 'date', 'contactinformation'],
  ['lastmodifieddate', 'Last modified date', 'datetime', 'date', 'contactinformation'],
  ['hs_object_id', 'Record ID', 'number', 'number', 'contactinformation'],
] as const;

export const LIFECYCLE_STAGES = [
  'subscriber',
  'lead',
  'marketingqualifiedlead',
  'opportunity',
  'customer',
] as const;
export const LEAD_STATUSES = ['NEW', 'OPEN', 'IN_PROGRESS', 'CONNECTED', 'UNQUALIFIED'] as const;

const OPTIONS: Readonly<Record<string, readonly string[]>> = {
  lifecyclestage: LIFECYCLE_STAGES,
  hs_lead_status: LEAD_STATUSES,
};

/** Set by the CRM itself: a caller's value for them is refused. */
const READ_ONLY: readonly string[] = ['createdate', 'lastmodifieddate', 'hs_object_id'];

/** Answered whatever the caller asked for. */
export const ALWAYS_ANSWERED: readonly string[] = ['createdate', 'hs_object_id', 'lastmodifieddate'];
/** Answered where the caller did not say which properties it wants. */
export const DEFAULT_ANSWERED: readonly string[] = [...ALWAYS_ANSWERED, 'email', 'firstname', 'lastname'];

export function isContactProperty(name: string): boolean {
  return DEFINITIONS.some(([known]) => known === name);
}

export function isReadOnlyProperty(name: string): boolean {
  return READ_ONLY.includes(name);
}

export function listContactProperties() {
  return DEFINITIONS.map(([name, label, type, fieldType, groupName], displayOrder) => ({
    name,
    label,
    type,
    fieldType,
    groupName,
    description: '',
    displayOrder,
    options: (OPTIONS[name] ?? []).map((value, order) => ({
      label: value,
      value,
      displayOrder: order,
      hidden: false,
    })),
    hasUniqueValue: name === 'email' || name === 'hs_object_id',
    hidden: false,
    formField: !READ_ONLY.includes(name),
    calculated: false,
    externalOptions: false,
    hubspotDefined: true,
    archived: false,
    modificationMetadata: {
      archivable: false,
      readOnlyDefinition: true,
      readOnlyValue: READ_ONLY.includes(name),
    },
  }));
}

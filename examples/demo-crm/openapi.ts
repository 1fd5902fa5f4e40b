const CONTACTS = '/crm/v3/objects/contacts';

const id = { name: 'contactId', in: 'path', required: true, schema: { type: 'string' } };
const limit = { name: 'limit', in: 'query', schema: { type: 'integer' } };
const after = { name: 'after', in: 'query', schema: { type: 'string' } };
const properties = { name: 'properties', in: 'query', schema: { type: 'string' } };
const written = {
  content: {
    'application/json': {
      schema: { required: ['properties'], properties: { properties: { type: 'object' } } },
    },
  },
};
const searched = {
  content: {
    'application/json': {
      schema: {
        properties: {
          filterGroups: { type: 'array' },
          properties: { type: 'array' },
          sorts: { type: 'array' },
          limit: { type: 'integer' },
        },
      },
    },
  },
};

/** What the demo CRM publishes of its API: agents find its operations by it. */
export function describeApi(url: string) {
  return {
    openapi: '3.1.0',
    info: { title: 'Demo CRM', version: '3' },
    servers: [{ url }],
    paths: {
      [CONTACTS]: {
        get: {
          operationId: 'listContacts',
          summary: 'List contacts',
          parameters: [limit, after, properties],
        },
        post: { operationId: 'createContact', summary: 'Create a contact', requestBody: written },
      },
      [`${CONTACTS}/search`]: {
        post: {
          operationId: 'searchContacts',
          summary: 'Search contacts by their properties',
          requestBody: searched,
        },
      },
      [`${CONTACTS}/{contactId}`]: {
        get: { operationId: 'readContact', summary: 'Read a contact', parameters: [id, properties] },
        patch: {
          operationId: 'updateContact',
          summary: 'Update properties of a contact',
          parameters: [id],
          requestBody: written,
        },
        delete: { operationId: 'archiveContact', summary: 'Archive a contact', parameters: [id] },
      },
    },
  };
}

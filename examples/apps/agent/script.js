const CONTACTS = '/crm/v3/objects/contacts';

/** What a model would choose by itself, written down, so that the example needs no model and no key. */
export async function runScript({ callTool, provider, gateway, say }) {
  const found = await callTool('read', {
    ...{ provider, path: CONTACTS, query: 'limit=3&properties=email' },
    fields: ['$.results[*].id', '$.results[*].properties.email'],
  });
  const { results } = bodyOf(found);
  say(`Contacts: ${results.map(({ properties }) => properties.email).join(', ')}`);

  const properties = { email: `agent-${Date.now()}@example.test` };
  const made = bodyOf(
    await callTool('write', { provider, method: 'POST', path: CONTACTS, body: { properties } }),
  );
  say(`Created contact ${made.id}`);

  const refused = await callTool('write', { provider, method: 'DELETE', path: `${CONTACTS}/${made.id}` });
  say(`Deleting it is refused: ${refused.structuredContent.code}`);

  // Your backend's part again: what changed at the CRM, as the gateway heard of it.
  for await (const event of gateway.events.stream({ types: [`${provider}.contact.*`] })) {
    if (event.object?.id !== made.id) continue;
    say(`Event: ${event.type} ${event.object.id}`);
    return;
  }
}

function bodyOf({ isError, structuredContent }) {
  if (isError) throw new Error(`${structuredContent.code}: ${structuredContent.detail ?? ''}`);
  return structuredContent.body;
}

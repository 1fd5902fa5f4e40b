/**
 * What a parameter of this name means in each operation that takes it. A schema that describes its own goes before; the
 * check of the document (`npm run check:api`) refuses a parameter without either.
 */
const TEXTS: Readonly<Record<string, string>> = {
  id: 'Id of the resource.',
  projectId: 'Id of the project. In a query: that project’s alone; an API key has one anyway.',
  operatorId: 'Id of the operator.',
  provider: 'Name of the provider in the catalog, `hubspot`.',
  serviceProvider: 'Those of this provider alone, by its name in the catalog.',
  secretId: 'Id of the client secret.',
  subscriptionId: 'Id of the subscription.',
  requestId: 'Id of the request: `Gateway-Request-Id` of its answer.',
  integrationId: 'Those of this integration alone.',
  connectionId: 'Those of this connection alone.',
  destinationId: 'Those of this destination alone.',
  eventId: 'Those of this event alone.',
  userId: 'Those of this end user alone, by the `sub` of their tokens.',
  integrationUserId: 'Those of this end user alone, by the gateway’s id.',
  actorKind: 'What this kind of actor did.',
  actorId: 'What this actor did.',
  objectType: 'Events of this type of object alone.',
  origin: 'Calls from this door alone.',
  status: 'Those in this state alone.',
  state: 'Those in this state alone.',
  from: 'From this time on.',
  days: 'The last so many days.',
  format: 'The form of the answer.',
  force: 'Deletes although others depend on it.',
  refresh: 'Whether to look again instead of answering what was found last.',
  page: 'Which of the pages to show.',
  limit: 'How many items to answer at most.',
  cursor: 'Where to go on: `nextCursor` of the page before.',
  q: 'What to look for.',
};

/** The description of a parameter whose schema has none; undefined for names that nothing is known of. */
export function describeParameter(name: string): string | undefined {
  return TEXTS[name];
}

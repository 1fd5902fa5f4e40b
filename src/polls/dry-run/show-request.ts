import type { PollResource } from '../../catalog/schema/provider-polls.schema.ts';
import type { ApiRequest } from '../../credentials/calling/api-message.ts';
import type { ConnectionClient } from '../../credentials/calling/connection-client.ts';
import type { PollOptions } from '../pages/plan-run.ts';
import type { PollDryRun } from './dry-run.schema.ts';

/** A request of a dry run, and what came of it. */
export type Shown = PollDryRun['requests'][number];

/** A connection, and what is to be tried with it. */
export type DryRun = {
  readonly connectionId: string;
  /** The account at the provider; null: not known. */
  readonly accountId: string | null;
  readonly connection: ConnectionClient;
  readonly resource: PollResource;
  readonly options: PollOptions;
};

/** A request as it goes out, with stand-ins for secrets. */
export function showRequest(
  connection: ConnectionClient,
  request: ApiRequest,
): Omit<Shown, 'purpose' | 'status' | 'error'> {
  const { url, method = 'GET', headers = {}, body } = connection.show(request);
  return { method, url, headers: { ...headers }, body: body === undefined ? null : body.toString() };
}

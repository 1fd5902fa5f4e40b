import type { PollResource } from '../../catalog/schema/provider-polls.schema.ts';
import type { OwnConnection, OwnRequest } from '../../credentials/calling/provider-calls.ts';
import type { PollOptions } from '../pages/plan-run.ts';
import type { PollDryRun } from './dry-run.schema.ts';

/** A request of a dry run, and what came of it. */
export type Shown = PollDryRun['requests'][number];

/** A connection, and what is to be tried with it. */
export type DryRun = {
  readonly connectionId: string;
  /** The account at the provider; null: not known. */
  readonly accountId: string | null;
  readonly connection: OwnConnection;
  readonly resource: PollResource;
  readonly options: PollOptions;
};

/** A request as it goes out, with stand-ins for secrets. */
export function showRequest(
  connection: OwnConnection,
  request: OwnRequest,
): Omit<Shown, 'purpose' | 'status' | 'error'> {
  const { url, method = 'GET', headers = {}, body } = connection.show(request);
  return { method, url, headers: { ...headers }, body: body === undefined ? null : body.toString() };
}

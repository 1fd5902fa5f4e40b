import type { Provider } from '../src/catalog/schema/provider.schema.ts';
import { buildProbe } from '../src/oauth/probe.ts';
import { describeWebhooks } from '../src/webhooks/message/description.ts';
import { findHostFact } from './host-facts.ts';

/** One thing that users look for in an entry, which entries it is asked of, and whether one has it. */
export type Coverage = {
  readonly what: string;
  readonly of?: (provider: Provider) => boolean;
  readonly has: (provider: Provider) => boolean;
};

/** Client credentials are the operator's, so that a connection is of no user's account. */
const isOfUsers = ({ auth }: Provider) => auth !== 'oauth2-client-credentials';
const tellsWhose = ({ account, tenants }: Provider) => account !== undefined || tenants !== undefined;
const echoes = ({ account }: Provider) => account?.id.from === 'variable';

/** What docs/providers.md counts, and test/catalog/coverage.test.ts holds. */
export const COVERAGE: readonly Coverage[] = [
  { what: 'who is connected', has: tellsWhose },
  { what: 'who is connected, where users connect', of: isOfUsers, has: tellsWhose },
  {
    what: 'the same as the provider tells it, and not as it was typed',
    of: isOfUsers,
    has: (one) => tellsWhose(one) && !echoes(one),
  },
  { what: 'a request that proves the credential', has: (one) => buildProbe(one) !== undefined },
  {
    what: 'a request that proves it, or why there is none',
    has: (one) => buildProbe(one) !== undefined || one.noProbe !== undefined,
  },
  {
    what: 'webhooks that are received and verified, of those that have webhooks',
    of: ({ webhooks }) => webhooks.supported,
    has: (one) => describeWebhooks(one) !== undefined,
  },
  { what: 'three or more set-up steps', has: ({ setupSteps }) => setupSteps.length >= 3 },
  { what: 'further hosts', has: (one) => findHostFact(one) === 'further' },
  {
    what: 'further hosts, a variable in the host, or a source that says there is one host',
    has: (one) => findHostFact(one) !== 'unknown',
  },
];

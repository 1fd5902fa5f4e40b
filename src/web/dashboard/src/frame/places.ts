import type { Texts } from '../texts/area-texts.ts';
import type { IconName } from '../ui/icons.tsx';

type Place = { readonly name: keyof Texts['places']; readonly icon: IconName; readonly to: string };

/** Every page and every section of one, in the order in which the search field lists them. A test walks the router for others. */
export const PLACES: readonly Place[] = [
  { name: 'home', icon: 'home', to: '/p/$projectId' },
  { name: 'integrations', icon: 'integrations', to: '/p/$projectId/integrations' },
  { name: 'catalog', icon: 'plus', to: '/p/$projectId/integrations/new' },
  { name: 'connections', icon: 'connections', to: '/p/$projectId/connections' },
  { name: 'events', icon: 'events', to: '/p/$projectId/events' },
  { name: 'stream', icon: 'events', to: '/p/$projectId/events/stream' },
  { name: 'destinations', icon: 'send', to: '/p/$projectId/events/destinations' },
  { name: 'deliveries', icon: 'send', to: '/p/$projectId/events/deliveries' },
  { name: 'webhooks', icon: 'events', to: '/p/$projectId/events/webhooks' },
  { name: 'polls', icon: 'refresh', to: '/p/$projectId/events/polls' },
  { name: 'calls', icon: 'calls', to: '/p/$projectId/calls' },
  { name: 'mandates', icon: 'mandates', to: '/p/$projectId/mandates' },
  { name: 'new-mandate', icon: 'plus', to: '/p/$projectId/mandates/new' },
  { name: 'approvals', icon: 'approvals', to: '/p/$projectId/approvals' },
  { name: 'console', icon: 'calls', to: '/p/$projectId/console' },
  { name: 'activity', icon: 'history', to: '/p/$projectId/activity' },
  { name: 'settings', icon: 'settings', to: '/p/$projectId/settings' },
  { name: 'project-settings', icon: 'settings', to: '/p/$projectId/settings/project' },
  { name: 'branding', icon: 'eye', to: '/p/$projectId/settings/branding' },
  { name: 'api-keys', icon: 'key', to: '/p/$projectId/settings/api-keys' },
  { name: 'signing-keys', icon: 'shield', to: '/p/$projectId/settings/signing-keys' },
  { name: 'revocations', icon: 'error', to: '/p/$projectId/settings/revocations' },
  { name: 'users', icon: 'user', to: '/p/$projectId/settings/users' },
  { name: 'organizations', icon: 'globe', to: '/p/$projectId/settings/organizations' },
  { name: 'members', icon: 'users', to: '/p/$projectId/settings/members' },
  { name: 'configuration', icon: 'code', to: '/p/$projectId/settings/configuration' },
  { name: 'me', icon: 'shield', to: '/me' },
  { name: 'gateway', icon: 'server', to: '/gateway' },
  { name: 'custom-providers', icon: 'plus', to: '/providers/custom' },
  { name: 'new-custom-provider', icon: 'plus', to: '/providers/custom/new' },
];

import type { Texts } from '../texts/area-texts.ts';
import type { IconName } from '../ui/icons.tsx';

/** The main navigation, in its order, with the beginning of addresses beside its own that are part of a page. `key` is also the second key of the shortcut `g <key>`. */
export const PROJECT_PAGES = [
  { name: 'home', to: '/p/$projectId', key: 'h' },
  { name: 'integrations', to: '/p/$projectId/integrations', key: 'i', also: '/providers/custom' },
  { name: 'connections', to: '/p/$projectId/connections', key: 'c' },
  { name: 'events', to: '/p/$projectId/events', key: 'e' },
  { name: 'calls', to: '/p/$projectId/calls', key: 'l' },
  { name: 'mandates', to: '/p/$projectId/mandates', key: 'm' },
  { name: 'approvals', to: '/p/$projectId/approvals', key: 'v' },
  { name: 'activity', to: '/p/$projectId/activity', key: 'a' },
  { name: 'settings', to: '/p/$projectId/settings', key: 's' },
] as const satisfies readonly {
  name: keyof Texts['frame']['nav'] & IconName;
  to: string;
  key: string;
  also?: string;
}[];

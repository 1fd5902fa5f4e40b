import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { apiQuery } from '../../api/queries.ts';
import type { Schema } from '../../api/schemas.ts';
import { useProviderOptions } from '../../ui/provider-mark.tsx';
import styles from './events.module.css';

export type Integration = Schema<'ListedIntegration'>;

/** The integrations of the project, up to 200; the query, for those that tell of its failure. */
export function useIntegrationList(projectId: string) {
  return useQuery({ ...apiQuery('/integrations', { query: { projectId, limit: 200 } }), staleTime: 60_000 });
}

/** The same; undefined until they are known. */
export function useIntegrations(projectId: string): readonly Integration[] | undefined {
  return useIntegrationList(projectId).data?.integrations;
}

/** Integrations to choose from, by the names of their providers. */
export function useIntegrationOptions(projectId: string): { value: string; label: string }[] {
  const integrations = useIntegrations(projectId) ?? [];
  const names = useProviderOptions(integrations.map(({ serviceProvider }) => serviceProvider));
  const nameOf = new Map(names.map(({ value, label }) => [value, label]));
  const count = (provider: string) =>
    integrations.filter(({ serviceProvider }) => serviceProvider === provider).length;
  return integrations.map(({ id, serviceProvider }) => {
    const name = nameOf.get(serviceProvider) ?? serviceProvider;
    return { value: id, label: count(serviceProvider) > 1 ? `${name} (…${id.slice(-6)})` : name };
  });
}

/** What opens the drawer of a row: its name, with a line of facts below. */
export function OpenButton({
  onOpen,
  children,
  below,
}: {
  onOpen: () => void;
  children: ReactNode;
  below?: ReactNode;
}) {
  return (
    <span className={styles.what}>
      <button type="button" className={styles.open} onClick={onOpen}>
        {children}
      </button>
      {below && <small>{below}</small>}
    </span>
  );
}

import { useQuery } from '@tanstack/react-query';
import { apiQuery } from '../api/queries.ts';
import { useOptionalProjectId } from '../app/project.ts';
import styles from './provider-mark.module.css';

const FRESH_MS = 5 * 60_000;

/** A provider of the catalog or of the project by its short name; undefined until it is known, or where there is none. */
export function useProvider(id: string | null | undefined) {
  const projectId = useOptionalProjectId();
  const query = useQuery({
    ...apiQuery('/providers/{provider}', {
      path: { provider: id ?? '' },
      query: projectId === undefined ? {} : { projectId },
    }),
    enabled: Boolean(id),
    staleTime: FRESH_MS,
    retry: false,
  });
  return query.data;
}

/** Providers by short name with their names, for fields to choose from; each once, in the order of their names. */
export function useProviderNames(
  ids: readonly string[],
): { readonly value: string; readonly label: string }[] {
  const projectId = useOptionalProjectId();
  const unique = [...new Set(ids)].sort();
  const { data } = useQuery({
    ...apiQuery('/providers', {
      query: { ids: unique.join(','), limit: 200, ...(projectId !== undefined && { projectId }) },
    }),
    enabled: unique.length > 0,
    staleTime: FRESH_MS,
  });
  const names = new Map(data?.providers.map(({ id, name }) => [id, name]));
  return unique
    .map((value) => ({ value, label: names.get(value) ?? value }))
    .sort((a, b) => a.label.localeCompare(b.label));
}

type ProviderLogoProps = {
  readonly id: string;
  readonly size?: number;
  /** Where it is known; the provider is asked for otherwise. */
  readonly logoUrl?: string;
};

/** The provider's logo, or a plain square where it has none. Says nothing by itself: the name stands beside it. */
export function ProviderLogo({ id, size = 20, logoUrl }: ProviderLogoProps) {
  const provider = useProvider(logoUrl === undefined ? id : undefined);
  return (
    <span className={styles.logo} style={{ width: size, height: size }}>
      <img
        src={addressOf(logoUrl ?? provider?.logoUrl ?? `/logos/${encodeURIComponent(id)}.svg`)}
        alt=""
        width={size}
        height={size}
        loading="lazy"
        onError={(event) => {
          event.currentTarget.style.visibility = 'hidden';
        }}
      />
    </span>
  );
}

/** Logo and name of a provider. */
export function ProviderMark({ id, size = 20 }: { id: string; size?: number }) {
  return (
    <span className={styles.mark}>
      <ProviderLogo id={id} size={size} />
      <ProviderName id={id} />
    </span>
  );
}

/** The provider's name; its short name until that is known. */
export function ProviderName({ id }: { id: string }) {
  return <>{useProvider(id)?.name ?? id}</>;
}

/** The gateway's own logos from this origin, whatever the gateway calls itself. */
function addressOf(url: string): string {
  return /\/logos\/([^/]+\.svg|integrations\/[^/]+\/[^/]+)$/.test(url)
    ? new URL(url, location.origin).pathname
    : url;
}

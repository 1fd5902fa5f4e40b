import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { Provider } from '../../api/catalog.ts';
import { loadScript } from '../../api/load-script.ts';
import { gatewayQuery } from '../../api/operators.ts';
import { useTexts } from '../../texts/texts.tsx';
import { CodeBlock } from '../../ui/code-block.tsx';
import { LinkButton } from '../../ui/link.tsx';
import { Section } from '../../ui/page.tsx';
import { browserSample, curlSample, nodeSample, officialSample } from './code-samples.ts';
import type { Integration } from './form-values.ts';
import styles from './integrations.module.css';

/** The page on providers' clients, built in as a script of its own. */
const clientsPageQuery = {
  queryKey: ['docs/clients.md'],
  queryFn: async () => (await loadScript(() => import('../../../../../../docs/clients.md?raw'))).default,
  staleTime: Number.POSITIVE_INFINITY,
};

type CodeSectionProps = {
  readonly projectId: string;
  readonly integration: Integration;
  readonly provider: Provider;
};

/** Code to copy: one call in the ways that applications make it. */
export function CodeSection({ projectId, provider }: CodeSectionProps) {
  const { detail: texts } = useTexts().integrations;
  const gateway = useQuery({ ...gatewayQuery, staleTime: Number.POSITIVE_INFINITY }).data;
  const clients = useQuery(clientsPageQuery).data;
  const publicUrl = gateway?.publicUrl ?? location.origin;
  const target = { provider, projectId, publicUrl, proxyUrl: gateway?.proxyUrl ?? publicUrl };
  const official = clients === undefined ? undefined : officialSample(clients, target);
  const samples: [string, string][] = [
    [texts.curl, curlSample(target)],
    [texts.browser, browserSample(target)],
    [texts.node, nodeSample(target)],
    ...(official ? ([[texts.official(official.name), official.code]] satisfies [string, string][]) : []),
  ];
  const [chosen, setChosen] = useState(texts.curl);
  const [name, code] = samples.find(([label]) => label === chosen) ?? samples[0] ?? ['', ''];
  return (
    <Section
      title={texts.code}
      lead={texts.codeLead}
      actions={
        <LinkButton
          variant="default"
          size="compact-sm"
          to="/p/$projectId/console"
          params={{ projectId }}
          search={{ provider: provider.id }}
        >
          {texts.tryCall}
        </LinkButton>
      }
    >
      <div className={styles.tabs}>
        {samples.map(([label]) => (
          <button
            type="button"
            key={label}
            className={styles.category}
            aria-pressed={label === name}
            onClick={() => setChosen(label)}
          >
            {label}
          </button>
        ))}
      </div>
      <CodeBlock code={code} label={`${texts.code}: ${name}`} />
      <p className={styles.codeNote}>{texts.userTokenNote}</p>
    </Section>
  );
}

import { useLanguage, useTexts } from '../../texts/texts.tsx';
import { TextLink } from '../../ui/link.tsx';
import { type Column, Table } from '../../ui/list/table.tsx';
import { ProviderLogo } from '../../ui/provider-mark.tsx';
import { StateBadge } from '../../ui/state-badge.tsx';
import { Time } from '../../ui/time.tsx';
import styles from './integrations.module.css';
import { findLogo, type Row } from './row.ts';

/** Many integrations, a row each. */
export function IntegrationTable({ projectId, rows }: { projectId: string; rows: readonly Row[] }) {
  const { integrations: texts } = useTexts();
  const { language } = useLanguage();
  const columns: Column<Row>[] = [
    {
      key: 'name',
      header: texts.list.provider,
      render: ({ integration, provider, name }) => (
        <span className={styles.rowName}>
          <ProviderLogo id={integration.serviceProvider} size={24} {...findLogo(integration, provider)} />
          <TextLink
            to="/p/$projectId/integrations/$integrationId"
            params={{ projectId, integrationId: integration.id }}
          >
            {name}
          </TextLink>
        </span>
      ),
    },
    {
      key: 'client',
      header: texts.list.client,
      wide: true,
      render: ({ integration }) => (
        <span className={`soft mono ${styles.cut}`}>{integration.clientId ?? texts.list.ofUsers}</span>
      ),
    },
    {
      key: 'state',
      header: texts.list.state,
      render: ({ state }) => state && <StateBadge tone={state.tone}>{state.words}</StateBadge>,
    },
    {
      key: 'connections',
      header: texts.list.connections,
      align: 'end',
      wide: true,
      render: ({ integration }) => (integration.numbers?.connections ?? 0).toLocaleString(language),
    },
    {
      key: 'calls',
      header: texts.list.callsDay,
      align: 'end',
      wide: true,
      render: ({ integration }) => (integration.numbers?.callsDay ?? 0).toLocaleString(language),
    },
    {
      key: 'last',
      header: texts.list.lastCall,
      wide: true,
      render: ({ integration }) => <Time at={integration.numbers?.lastCallAt} />,
    },
  ];
  return (
    <Table
      label={texts.title}
      columns={columns}
      rows={rows}
      rowKey={({ integration }) => integration.id}
      rowHref={({ integration }) => `/p/${projectId}/integrations/${integration.id}`}
    />
  );
}

import { NativeSelect } from '@mantine/core';
import { Suspense } from 'react';
import { apiList } from '../../../api/queries.ts';
import type { Schema } from '../../../api/schemas.ts';
import { useProjectId } from '../../../app/project.ts';
import { useLanguage, useTexts } from '../../../texts/texts.tsx';
import { EmptyState } from '../../../ui/empty-state.tsx';
import { lazyPart } from '../../../ui/lazy-part.ts';
import { type FilterDefinition, useFilters } from '../../../ui/list/filters.ts';
import { ResourceList } from '../../../ui/list/resource-list.tsx';
import type { Column } from '../../../ui/list/table.tsx';
import { Section } from '../../../ui/page.tsx';
import { QueryProblem } from '../../../ui/query-problem.tsx';
import { Time } from '../../../ui/time.tsx';
import styles from '../events.module.css';
import { SectionLead } from '../lead.tsx';
import { useOpened } from '../opened.ts';
import { OpenButton, useIntegrationList, useIntegrationOptions } from '../parts.tsx';
import { IntegrationWebhooks } from './integration-webhooks.tsx';
import { ReceiptState, useReceiptCause } from './receipt-parts.tsx';

const ReceiptDrawer = lazyPart(() => import('./receipt-drawer.tsx'), 'ReceiptDrawer');

type Receipt = Schema<'ListedWebhookReceipt'>;

/** What providers sent, and where they send it. */
export function WebhooksSection() {
  const { events } = useTexts();
  const texts = events.webhooks;
  const projectId = useProjectId();
  const drawer = useOpened('receipt');
  const integrations = useIntegrationList(projectId);
  const options = useIntegrationOptions(projectId);
  const filters = useReceiptFilters(options);
  const { filters: given, setFilter } = useFilters(filters);
  const columns = useColumns(drawer.open, options);
  return (
    <>
      <SectionLead>{texts.lead}</SectionLead>
      <QueryProblem queries={[integrations]} />
      {options.length > 0 && (
        <Section
          title={texts.addresses}
          lead={texts.addressesLead}
          actions={
            <NativeSelect
              className={styles.chooser}
              aria-label={texts.choose}
              value={given.integrationId ?? ''}
              data={[{ value: '', label: texts.choose }, ...options]}
              onChange={({ currentTarget }) => setFilter('integrationId', currentTarget.value)}
            />
          }
        >
          {given.integrationId ? (
            <IntegrationWebhooks key={given.integrationId} integrationId={given.integrationId} />
          ) : (
            <p className="soft">{texts.chooseHint}</p>
          )}
        </Section>
      )}
      <ResourceList<Receipt>
        label={texts.receipts}
        filters={filters}
        query={(query) => apiList('/webhook-receipts', { query: { projectId, ...query } })}
        rowKey={({ id }) => id}
        rowHref={({ id }) => drawer.hrefOf(id)}
        columns={columns}
        empty={<EmptyState icon="webhook" title={texts.emptyTitle} text={texts.emptyText} />}
      />
      <Suspense>
        {drawer.id && <ReceiptDrawer key={drawer.id} id={drawer.id} onClose={drawer.close} />}
      </Suspense>
    </>
  );
}

function useReceiptFilters(options: { value: string; label: string }[]): FilterDefinition[] {
  const { events } = useTexts();
  const states = Object.entries(events.webhooks.states);
  return [
    { name: 'integrationId', label: events.integration, kind: 'choice', options },
    {
      name: 'state',
      label: events.state,
      kind: 'choice',
      options: states.map(([value, label]) => ({ value, label })),
    },
    { name: 'connectionId', label: events.connection, kind: 'text', canType: true },
  ];
}

function useColumns(
  onOpen: (id: string) => void,
  options: { value: string; label: string }[],
): Column<Receipt>[] {
  const { events } = useTexts();
  const texts = events.webhooks;
  const { language } = useLanguage();
  const causeOf = useReceiptCause();
  const nameOf = new Map(options.map(({ value, label }) => [value, label]));
  return [
    {
      key: 'receipt',
      header: texts.receipt,
      render: (receipt) => (
        <OpenButton onOpen={() => onOpen(receipt.id)} below={causeOf(receipt)?.title}>
          {nameOf.get(receipt.integrationId) ?? `…${receipt.integrationId.slice(-6)}`}
        </OpenButton>
      ),
    },
    { key: 'state', header: events.state, render: ({ state }) => <ReceiptState state={state} /> },
    {
      key: 'events',
      header: texts.eventsIn,
      wide: true,
      render: ({ state, events: tally }) => {
        if (state === 'rejected') return '–';
        return tally === null ? texts.waits : texts.tally({ matched: tally.matched, total: tally.total });
      },
    },
    {
      key: 'size',
      header: texts.size,
      align: 'end',
      wide: true,
      render: ({ bodyBytes }) => formatBytes(bodyBytes, language),
    },
    { key: 'when', header: events.when, wide: true, render: ({ receivedAt }) => <Time at={receivedAt} /> },
  ];
}

function formatBytes(bytes: number, language: string): string {
  const unit = bytes < 1_000 ? 'byte' : 'kilobyte';
  const value = bytes < 1_000 ? bytes : bytes / 1_000;
  const options = { style: 'unit', unit, unitDisplay: 'short', maximumFractionDigits: 1 } as const;
  return value.toLocaleString(language, options);
}

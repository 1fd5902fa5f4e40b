import { Button } from '@mantine/core';
import { Suspense, useState } from 'react';
import { useProjectId } from '../../../app/project.ts';
import { useCanEdit } from '../../../app/session.ts';
import { useTexts } from '../../../texts/texts.tsx';
import { EmptyState } from '../../../ui/empty-state.tsx';
import { Icon } from '../../../ui/icons.tsx';
import { lazyPart } from '../../../ui/lazy-part.ts';
import { TextLink } from '../../../ui/link.tsx';
import { type Column, Table } from '../../../ui/list/table.tsx';
import { Bars, Loaded } from '../../../ui/loaded.tsx';
import { shortUrl } from '../../../ui/short-url.ts';
import { Time } from '../../../ui/time.tsx';
import { OneTimeSecret } from '../../settings/one-time-secret.tsx';
import styles from '../events.module.css';
import { SectionLead } from '../lead.tsx';
import {
  type Destination,
  DestinationState,
  type NewDestination,
  QueueWords,
  useDestinations,
} from './destination-parts.tsx';

const DestinationDialog = lazyPart(() => import('./destination-dialog.tsx'), 'DestinationDialog');

/** Where events are sent, and how that goes. */
export function DestinationsSection() {
  const { destinations: texts } = useTexts().events;
  const projectId = useProjectId();
  const canEdit = useCanEdit(projectId);
  const destinations = useDestinations();
  const [isCreating, setCreating] = useState(false);
  const [made, setMade] = useState<NewDestination>();
  const columns = useColumns(projectId);
  const create = canEdit && (
    <Button
      leftSection={<Icon name="plus" size={15} />}
      onClick={() => setCreating(true)}
      disabled={made !== undefined}
    >
      {texts.create}
    </Button>
  );
  const isEmpty = destinations.data?.eventDestinations.length === 0;
  return (
    <>
      {!isEmpty && <SectionLead actions={create}>{texts.lead}</SectionLead>}
      {made && (
        <OneTimeSecret
          title={texts.secretTitle}
          label={texts.secretLabel}
          value={made.secret}
          onStored={() => setMade(undefined)}
        >
          {texts.secretText}
        </OneTimeSecret>
      )}
      <Loaded query={destinations} skeleton={<Bars rows={6} height={28} />}>
        {({ eventDestinations: rows }) =>
          rows.length === 0 ? (
            <EmptyState icon="send" title={texts.emptyTitle} text={texts.emptyText} action={create} />
          ) : (
            <Table
              label={texts.lead}
              columns={columns}
              rows={rows}
              rowKey={({ id }) => id}
              rowHref={({ id }) => `/p/${projectId}/events/destinations/${id}`}
            />
          )
        }
      </Loaded>
      <Suspense>
        {isCreating && <DestinationDialog onClose={() => setCreating(false)} onCreated={setMade} />}
      </Suspense>
    </>
  );
}

function summarize([first = '', ...more]: readonly string[]): string {
  return more.length === 0 ? first : `${first} +${more.length}`;
}

function useColumns(projectId: string): Column<Destination>[] {
  const { events } = useTexts();
  const texts = events.destinations;
  return [
    {
      key: 'url',
      header: texts.url,
      render: ({ id, url, description, types }) => (
        <span className={styles.what}>
          <TextLink
            to="/p/$projectId/events/destinations/$destinationId"
            params={{ projectId, destinationId: id }}
          >
            {shortUrl(url)}
          </TextLink>
          <small>{description ?? summarize(types)}</small>
        </span>
      ),
    },
    { key: 'state', header: events.state, render: (row) => <DestinationState destination={row} /> },
    { key: 'queue', header: texts.queue, wide: true, render: ({ queue }) => <QueueWords queue={queue} /> },
    {
      key: 'oldest',
      header: texts.oldest,
      wide: true,
      render: ({ queue }) =>
        queue.oldestAt ? <Time at={queue.oldestAt} /> : <span className="soft">–</span>,
    },
    {
      key: 'success',
      header: texts.lastSuccess,
      wide: true,
      render: (row) => <Time at={row.lastSuccessAt} />,
    },
    {
      key: 'failure',
      header: texts.lastFailure,
      wide: true,
      render: (row) => <Time at={row.lastFailureAt} />,
    },
  ];
}

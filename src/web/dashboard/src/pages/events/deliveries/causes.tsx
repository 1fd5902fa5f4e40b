import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { api, apiQuery } from '../../../api/queries.ts';
import type { Schema } from '../../../api/schemas.ts';
import { useProjectId } from '../../../app/project.ts';
import { useCanEdit } from '../../../app/session.ts';
import { useTexts } from '../../../texts/texts.tsx';
import { HrefLink, TextLink } from '../../../ui/link.tsx';
import { type Column, Table } from '../../../ui/list/table.tsx';
import { Loaded } from '../../../ui/loaded.tsx';
import { Section } from '../../../ui/page.tsx';
import { Time } from '../../../ui/time.tsx';
import { useAction } from '../../../ui/use-action.ts';
import {
  DestinationName,
  PATHS_OF_DESTINATION,
  useErrorWords,
  useNumber,
} from '../destinations/destination-parts.tsx';
import styles from '../events.module.css';
import { useGates } from './next-attempt.tsx';

type Cause = Schema<'DeliveryCauseList'>['causes'][number];

/** Deliveries that have not arrived, by what went wrong; nothing where all have. With an id: of that destination. */
export function Causes({ destinationId }: { destinationId?: string }) {
  const { deliveries: texts } = useTexts().events;
  const projectId = useProjectId();
  const columns = useColumns(projectId, destinationId === undefined);
  const found = useQuery({
    ...apiQuery('/deliveries/causes', { query: { projectId, limit: 200 } }),
    refetchInterval: 10_000,
  });
  const isOfInterest = (cause: Cause) => destinationId === undefined || cause.destinationId === destinationId;
  return (
    <Loaded query={found} skeleton={null}>
      {({ causes }) =>
        causes.some(isOfInterest) && (
          <Section title={texts.causes} lead={texts.causesLead} flush>
            <Table
              bare
              label={texts.causes}
              columns={columns}
              rows={causes.filter(isOfInterest)}
              rowKey={({ destinationId: id, error, status }) => `${id} ${error} ${status}`}
            />
          </Section>
        )
      }
    </Loaded>
  );
}

function useColumns(projectId: string, hasDestination: boolean): Column<Cause>[] {
  const { deliveries: texts } = useTexts().events;
  const words = useErrorWords();
  const number = useNumber();
  const gateOf = useGates();
  const canEdit = useCanEdit(projectId);
  const columns: Column<Cause>[] = [
    {
      key: 'cause',
      header: texts.cause,
      render: (cause) => (
        <span className={styles.what}>
          <HrefLink href={`/p/${projectId}/events/deliveries?delivery=${cause.deliveryId}`}>
            {words(cause.error, cause.status) || '–'}
          </HrefLink>
          {hasDestination && (
            <small>
              <TextLink
                to="/p/$projectId/events/destinations/$destinationId"
                params={{ projectId, destinationId: cause.destinationId }}
              >
                <DestinationName id={cause.destinationId} />
              </TextLink>
            </small>
          )}
        </span>
      ),
    },
    {
      key: 'failed',
      header: texts.failed,
      align: 'end',
      wide: true,
      render: ({ failed, destinationId }) =>
        failed > 0 && gateOf(destinationId)?.state === 'disabled' ? (
          <span className={styles.what}>
            {number(failed)}
            <small>{texts.nextWhen.enabled}</small>
          </span>
        ) : (
          number(failed)
        ),
    },
    { key: 'dead', header: texts.dead, align: 'end', wide: true, render: ({ dead }) => number(dead) },
    {
      key: 'last',
      header: texts.lastAnswer,
      wide: true,
      render: ({ lastAttemptAt }) => <Time at={lastAttemptAt} />,
    },
  ];
  if (canEdit)
    columns.push({ key: 'retry', header: '', align: 'end', render: (cause) => <RetryCause cause={cause} /> });
  return columns;
}

function RetryCause({ cause }: { cause: Cause }) {
  const { deliveries: texts } = useTexts().events;
  const number = useNumber();
  const { destinationId, error, status, failed, dead } = cause;
  const count = number(failed + dead);
  const retry = useAction({
    send: () =>
      api.post('/event-destinations/{id}/retry', {
        path: { id: destinationId },
        body: { states: ['failed', 'dead'], error, status },
      }),
    done: ({ retried, hasMore }) =>
      [texts.retriedMany(number(retried)), hasMore && texts.hasMore].filter(Boolean).join('. '),
    refresh: PATHS_OF_DESTINATION,
  });
  return (
    <Button variant="default" size="compact-sm" loading={retry.isPending} onClick={() => retry.mutate()}>
      {texts.retryAllOf(count)}
    </Button>
  );
}

import { Button, NativeSelect } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { components } from '../../../../../../clients/node/src/api.ts';
import { apiList } from '../../api/queries.ts';
import type { Connection } from '../../app/connect-popup.ts';
import { useTexts } from '../../texts/texts.tsx';
import { Icon, type IconName } from '../../ui/icons.tsx';
import { Bars } from '../../ui/loaded.tsx';
import { Section } from '../../ui/page.tsx';
import { ProblemNotice } from '../../ui/problem-notice.tsx';
import { Time } from '../../ui/time.tsx';
import styles from './connections.module.css';
import { useUserName } from './people.ts';

type Activity = components['schemas']['Activity'];

const MARKS: Readonly<Record<string, readonly [IconName, string | undefined]>> = {
  'connection.created': ['ok', 'good'],
  'connection.imported': ['download', 'good'],
  'connection.updated': ['arrowRight', 'soft'],
  'connection.reauthorized': ['refresh', 'good'],
  'connection.refreshed': ['refresh', 'soft'],
  'connection.reauthorization_required': ['error', 'bad'],
  'connection.deleted': ['trash', 'soft'],
  'connection.revoked': ['shield', 'soft'],
  'connection.revocation_failed': ['warning', 'warn'],
};

/** What happened to the connection, by whom and from where, newest first. */
export function Timeline({ connection }: { connection: Connection }) {
  const { timeline: texts } = useTexts().connections;
  const { common } = useTexts();
  const [action, setAction] = useState('');
  const query = useInfiniteQuery(
    apiList('/activity', {
      query: { projectId: connection.projectId, subjectId: connection.id, action, limit: 20 },
    }),
  );
  const entries = query.data?.pages.flatMap(({ items }) => items);
  return (
    <Section
      title={texts.title}
      actions={
        <NativeSelect
          size="xs"
          className={styles.filter}
          aria-label={texts.filterLabel}
          value={action}
          onChange={(event) => setAction(event.currentTarget.value)}
          data={[
            { value: '', label: texts.all },
            ...Object.entries(texts.actions).map(([value, label]) => ({ value, label })),
          ]}
        />
      }
    >
      <ProblemNotice error={query.error} />
      {entries === undefined && !query.isError && <Bars rows={4} />}
      {entries?.length === 0 && <p className="soft">{texts.empty}</p>}
      {entries && entries.length > 0 && (
        <ol className={`bare-list ${styles.timeline}`}>
          {entries.map((entry) => (
            <Entry key={entry.id} entry={entry} />
          ))}
        </ol>
      )}
      {query.hasNextPage && (
        <Button
          mt="sm"
          variant="default"
          size="compact-md"
          loading={query.isFetchingNextPage}
          onClick={() => query.fetchNextPage()}
        >
          {common.showMore}
        </Button>
      )}
    </Section>
  );
}

function Entry({ entry }: { entry: Activity }) {
  const { timeline: texts } = useTexts().connections;
  const [icon, className] = MARKS[entry.action] ?? ['dot', 'soft'];
  const words = wordsOf(entry);
  const nameOf = useUserName();
  const { actorName, actorKind } = entry;
  const kind = texts.actors[actorKind];
  // A key's name does not say that it is one, and a user's id not whose it is.
  const isPlain = actorName === null || actorKind === 'gateway';
  const who = isPlain ? kind : actorKind === 'operator' ? actorName : `${kind} ${nameOf(actorName)}`;
  return (
    <li>
      <Icon name={icon} size={16} className={className} />
      <strong>{texts.actions[entry.action] ?? entry.action}</strong> <Time at={entry.createdAt} />
      <p>
        {texts.by(who)}
        {entry.sourceAddress && ` ${texts.from(entry.sourceAddress)}`}
      </p>
      {words && <p>{words}</p>}
    </li>
  );
}

/** The provider's words, or the error code, where an entry has them. */
function wordsOf({ details }: Activity): string | undefined {
  const { reason, errorCode } = details;
  return typeof reason === 'string' ? reason : typeof errorCode === 'string' ? errorCode : undefined;
}

import { useQuery } from '@tanstack/react-query';
import { apiQuery } from '../../api/queries.ts';
import type { Schema } from '../../api/schemas.ts';
import { useProjectId } from '../../app/project.ts';
import { useTexts } from '../../texts/texts.tsx';
import { LinkButton, TextLink } from '../../ui/link.tsx';
import { type Column, Table } from '../../ui/list/table.tsx';
import { Loaded } from '../../ui/loaded.tsx';
import { Section } from '../../ui/page.tsx';
import { ProviderMark } from '../../ui/provider-mark.tsx';
import { Time } from '../../ui/time.tsx';
import styles from './mandates.module.css';

type Use = Schema<'MandateUse'>;

/** Which users and actors made calls under the mandate, at which provider. */
export function MandateUses({ mandateId }: { mandateId: string }) {
  const { mandates } = useTexts();
  const texts = mandates.uses;
  const projectId = useProjectId();
  const columns = useColumns(projectId);
  const uses = useQuery(
    apiQuery('/projects/{projectId}/mandate-uses/{mandateId}', { path: { projectId, mandateId } }),
  );
  const all = (
    <LinkButton
      variant="default"
      size="compact-sm"
      to="/p/$projectId/calls"
      params={{ projectId }}
      search={{ mandateId }}
    >
      {texts.all}
    </LinkButton>
  );
  return (
    <Section title={texts.title} lead={mandates.usesNote} actions={all} flush>
      <Loaded query={uses}>
        {({ uses: rows, isCut }) =>
          rows.length === 0 ? (
            <p className={`soft ${styles.remarks}`}>{texts.none}</p>
          ) : (
            <>
              <Table bare label={texts.title} columns={columns} rows={rows} rowKey={keyOf} />
              {isCut && <p className={`soft small ${styles.remarks}`}>{texts.cut}</p>}
            </>
          )
        }
      </Loaded>
    </Section>
  );
}

function keyOf({ userId, actor, provider }: Use): string {
  return JSON.stringify([userId, actor, provider]);
}

function useColumns(projectId: string): Column<Use>[] {
  const { uses: texts } = useTexts().mandates;
  return [
    {
      key: 'user',
      header: texts.user,
      render: ({ userId }) =>
        userId === null ? (
          '–'
        ) : (
          <TextLink to="/p/$projectId/calls" params={{ projectId }} search={{ userId }}>
            {userId}
          </TextLink>
        ),
    },
    {
      key: 'actor',
      header: texts.actor,
      render: ({ actor }) =>
        actor === null ? <span className="soft">{texts.self}</span> : (actor.name ?? actor.id),
    },
    {
      key: 'provider',
      header: texts.provider,
      wide: true,
      render: ({ provider }) => <ProviderMark id={provider} size={16} />,
    },
    { key: 'calls', header: texts.calls, align: 'end', render: ({ calls }) => calls },
    { key: 'refused', header: texts.refused, align: 'end', wide: true, render: ({ refused }) => refused },
    { key: 'last', header: texts.last, render: ({ lastAt }) => <Time at={lastAt} /> },
  ];
}

import { Button } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useSearch } from '@tanstack/react-router';
import { api, apiList } from '../../../api/queries.ts';
import type { Schema } from '../../../api/schemas.ts';
import { useProjectId } from '../../../app/project.ts';
import { useCanEdit } from '../../../app/session.ts';
import type { Texts } from '../../../texts/area-texts.ts';
import { useTexts } from '../../../texts/texts.tsx';
import { EmptyState } from '../../../ui/empty-state.tsx';
import { Icon } from '../../../ui/icons.tsx';
import { ResourceList } from '../../../ui/list/resource-list.tsx';
import { Time } from '../../../ui/time.tsx';
import { useAction } from '../../../ui/use-action.ts';
import { SectionHead } from '../section-head.tsx';
import { NewRevocationDialog } from './new-revocation-dialog.tsx';

type Revocation = Schema<'Revocation'>;

/** User tokens that are refused before they expire. `?revoke=<user id>` opens the dialog for that user. */
export function RevocationsSection() {
  const { settings } = useTexts();
  const { revocations: texts, sections } = settings;
  const projectId = useProjectId();
  const canEdit = useCanEdit(projectId);
  const search: Record<string, unknown> = useSearch({ strict: false });
  const user = typeof search.revoke === 'string' ? search.revoke : '';
  const [isAdding, adding] = useDisclosure(user !== '');
  const add = canEdit && (
    <Button leftSection={<Icon name="plus" size={15} />} onClick={adding.open}>
      {texts.add}
    </Button>
  );
  return (
    <>
      <SectionHead title={sections.revocations} lead={texts.lead} actions={add} />
      <ResourceList<Revocation>
        label={sections.revocations}
        query={() => apiList('/projects/{projectId}/revocations', { path: { projectId } })}
        rowKey={({ id }) => id}
        columns={[
          { key: 'what', header: texts.what, render: (row) => <strong>{describe(texts, row)}</strong> },
          {
            key: 'before',
            header: texts.before,
            render: (row) =>
              row.issuedBefore ? (
                <Time at={row.issuedBefore} />
              ) : (
                <span className="soft">{texts.anyTime}</span>
              ),
            wide: true,
          },
          {
            key: 'created',
            header: texts.createdAt,
            render: (row) => <Time at={row.createdAt} />,
            wide: true,
          },
          {
            key: 'forgotten',
            header: texts.forgotten,
            render: (row) => <Time at={row.expiresAt} />,
            wide: true,
          },
          {
            key: 'actions',
            header: '',
            align: 'end',
            render: (row) => canEdit && <TakeBack revocation={row} />,
          },
        ]}
        empty={<EmptyState icon="shield" title={texts.emptyTitle} text={texts.emptyText} />}
      />
      {canEdit && isAdding && <NewRevocationDialog onClose={adding.close} userId={user} />}
    </>
  );
}

function describe(texts: Texts['settings']['revocations'], { jti, userId }: Revocation): string {
  if (jti !== null) return texts.ofToken(jti);
  return userId === null ? texts.ofEveryone : texts.ofUser(userId);
}

function TakeBack({ revocation }: { revocation: Revocation }) {
  const { revocations: texts } = useTexts().settings;
  const path = { projectId: useProjectId(), id: revocation.id };
  const remove = useAction({
    question: {
      title: texts.takeBackTitle,
      consequences: [texts.takeBackText],
      confirmLabel: texts.takeBack,
    },
    send: () => api.delete('/projects/{projectId}/revocations/{id}', { path }),
    done: texts.takenBack,
    refresh: ['/projects/{projectId}/revocations', '/activity'],
  });
  return (
    <Button
      size="compact-sm"
      variant="default"
      aria-label={`${texts.takeBack}: ${describe(texts, revocation)}`}
      onClick={() => remove.mutate()}
    >
      {texts.takeBack}
    </Button>
  );
}

import { Button } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { api } from '../../api/queries.ts';
import { useTexts } from '../../texts/texts.tsx';
import { DeleteButton } from '../../ui/delete-button.tsx';
import { Icon } from '../../ui/icons.tsx';
import { useAction } from '../../ui/use-action.ts';
import { type Mandate, PATHS_OF_MANDATE } from './mandate.ts';

/** Freezing, which can be undone, and deleting, which cannot. */
export function MandateActions({ mandate }: { mandate: Mandate }) {
  const { mandates: texts, common } = useTexts();
  const navigate = useNavigate();
  const { id, projectId, name, state } = mandate;
  const path = { projectId, id };
  const next = state === 'active' ? 'frozen' : 'active';
  const change = useAction({
    send: () => api.patch('/projects/{projectId}/mandates/{id}', { path, body: { state: next } }),
    done: next === 'frozen' ? texts.frozenDone : texts.thawedDone,
    refresh: [...PATHS_OF_MANDATE],
  });
  const remove = useAction({
    question: async () => {
      const sums = await api.get('/projects/{projectId}/mandate-uses', { path: { projectId } });
      const users = sums.mandates.find(({ mandateId }) => mandateId === id)?.users ?? 0;
      return {
        title: texts.deleteTitle(name),
        consequences: [
          texts.deleteTokens,
          ...(users > 0 ? [texts.deleteUses(users)] : []),
          common.cannotBeUndone,
        ],
        confirmLabel: common.delete,
      };
    },
    send: () => api.delete('/projects/{projectId}/mandates/{id}', { path }),
    done: texts.deleted,
    onDone: () => navigate({ to: '/p/$projectId/mandates', params: { projectId } }),
    refresh: ['/projects/{projectId}/mandates'],
  });
  return (
    <>
      <Button
        variant="default"
        leftSection={<Icon name={state === 'active' ? 'pause' : 'play'} size={15} />}
        onClick={() => change.mutate()}
        loading={change.isPending}
      >
        {state === 'active' ? texts.freeze : texts.thaw}
      </Button>
      <DeleteButton action={remove} />
    </>
  );
}

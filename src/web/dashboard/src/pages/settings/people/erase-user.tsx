import { Button } from '@mantine/core';
import { api } from '../../../api/queries.ts';
import type { Schema } from '../../../api/schemas.ts';
import { useProjectId } from '../../../app/project.ts';
import type { Texts } from '../../../texts/area-texts.ts';
import { useLanguage, useTexts } from '../../../texts/texts.tsx';
import { useAction } from '../../../ui/use-action.ts';

type EraseUserProps = {
  readonly user: Schema<'EndUser'>;
  readonly onBegun: (erasureId: string) => void;
};

/** Erases a user, after saying in numbers what that takes away. */
export function EraseUser({ user, onBegun }: EraseUserProps) {
  const { settings, common } = useTexts();
  const { erasures: texts } = settings;
  const { language } = useLanguage();
  const projectId = useProjectId();
  // By the gateway's id, which may stand in every address.
  const path = { projectId, id: user.id };
  const erase = useAction({
    question: async () => {
      const { holds } = await api.get('/projects/{projectId}/users/{id}', { path });
      return {
        title: texts.question(user.userId),
        consequences: [...describeHolds(texts, holds, language), common.cannotBeUndone],
        confirmLabel: texts.erase,
        typedName: user.userId,
      };
    },
    send: () => api.delete('/projects/{projectId}/users/{id}', { path }),
    onDone: ({ id }) => onBegun(id),
    refresh: ['/projects/{projectId}/user-erasures', '/activity'],
  });
  return (
    <Button
      variant="subtle"
      size="compact-sm"
      c="var(--bad)"
      loading={erase.isPending}
      onClick={() => erase.mutate()}
    >
      {texts.erase}
    </Button>
  );
}

/** A sentence for each kind of thing that goes. */
function describeHolds(
  texts: Texts['settings']['erasures'],
  { connections, events, calls }: Schema<'UserWithNumbers'>['holds'],
  language: string,
): string[] {
  const { format } = new Intl.NumberFormat(language);
  return [
    texts.losesConnections({ count: connections, shown: format(connections) }),
    texts.losesData({ events: format(events), calls: format(calls) }),
    texts.keepsPseudonym,
  ];
}

import { useNavigate } from '@tanstack/react-router';
import type { components } from '../../../../../../clients/node/src/api.ts';
import type { Provider } from '../../api/catalog.ts';
import { api } from '../../api/queries.ts';
import type { Texts } from '../../texts/area-texts.ts';
import { useLanguage, useTexts } from '../../texts/texts.tsx';
import { DeleteButton } from '../../ui/delete-button.tsx';
import { useAction } from '../../ui/use-action.ts';
import type { Integration } from './form-values.ts';

type Impact = components['schemas']['DeletionImpact'];

type DeleteIntegrationProps = {
  readonly projectId: string;
  readonly integration: Integration;
  readonly provider: Provider | undefined;
  readonly name: string;
};

/** Deletes after saying in numbers what breaks; the name is asked for only where users lose their connections. */
export function DeleteIntegration({ projectId, integration, name }: DeleteIntegrationProps) {
  const texts = useTexts();
  const { detail } = texts.integrations;
  const { language } = useLanguage();
  const navigate = useNavigate();
  const path = { id: integration.id };
  const remove = useAction({
    question: async () => {
      const impact = await api.get('/integrations/{id}/impact', { path });
      return {
        title: detail.deleteTitle(name),
        consequences: describeImpact(impact, name, language, texts),
        confirmLabel: detail.delete,
        ...(impact.connections > 0 && { typedName: name }),
      };
    },
    // Connections that come after the question was asked are not deleted unasked.
    send: (_, asked) => {
      const force = asked?.typedName === undefined ? 'false' : 'true';
      return api.delete('/integrations/{id}', { path, query: { force } });
    },
    done: detail.deleted,
    onDone: () => navigate({ to: '/p/$projectId/integrations', params: { projectId } }),
    refresh: ['/integrations', '/projects/{projectId}/integration-states'],
  });
  return <DeleteButton action={remove} />;
}

function describeImpact(impact: Impact, name: string, language: string, texts: Texts): string[] {
  const { detail } = texts.integrations;
  const shown = (count: number) => count.toLocaleString(language);
  if (impact.connections === 0) return [detail.deleteNoConnections];
  return [
    detail.deleteConnections({ connections: shown(impact.connections), users: shown(impact.users) }),
    impact.revocations ? detail.deleteRevoked(name) : detail.deleteNotRevoked(name),
    texts.common.cannotBeUndone,
  ];
}

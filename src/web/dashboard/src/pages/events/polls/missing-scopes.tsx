import { Button } from '@mantine/core';
import { changeCurrent } from '../../../api/change.ts';
import { useProjectId } from '../../../app/project.ts';
import { useTexts } from '../../../texts/texts.tsx';
import { Notice } from '../../../ui/notice.tsx';
import { useSave } from '../../../ui/use-save.ts';
import { useIntegrations } from '../parts.tsx';
import type { Resource } from './resources.ts';

type MissingScopesProps = { readonly integrationId: string; readonly resource: Resource | undefined };

/** Says which scopes the records need that the integration does not ask for, and adds them. */
export function MissingScopes({ integrationId, resource }: MissingScopesProps) {
  const { polls: texts } = useTexts().events;
  const integration = useIntegrations(useProjectId())?.find(({ id }) => id === integrationId);
  const { scopes = [], optionalScopes = [] } = integration ?? {};
  const asked = [...scopes, ...optionalScopes];
  const missing = resource?.scopes.filter((scope) => !asked.includes(scope)) ?? [];
  const add = useSave({
    send: () =>
      changeCurrent('/integrations/{id}', { id: integrationId }, (now) => ({
        scopes: [...new Set([...now.scopes, ...missing])],
      })),
    done: texts.scopeAdded,
    refresh: ['/integrations', '/integrations/{id}', '/integrations/{id}/diagnosis'],
  });
  // An integration that names no scopes has an app with permissions of its own.
  if (asked.length === 0 || missing.length === 0) return null;
  return (
    <Notice
      tone="warning"
      title={texts.scopeMissingTitle}
      foot={
        <Button variant="default" size="compact-sm" loading={add.isPending} onClick={() => add.mutate()}>
          {texts.addScope(missing.length)}
        </Button>
      }
    >
      {texts.scopeMissing(missing.join(', '))}
    </Notice>
  );
}

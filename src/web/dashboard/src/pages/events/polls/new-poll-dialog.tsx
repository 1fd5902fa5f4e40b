import { useQueries } from '@tanstack/react-query';
import { useProjectId } from '../../../app/project.ts';
import { useTexts } from '../../../texts/texts.tsx';
import { CreateIntegrationLink } from '../../../ui/create-integration-link.tsx';
import { Dialog } from '../../../ui/dialog.tsx';
import { Bars, Loaded } from '../../../ui/loaded.tsx';
import { Notice } from '../../../ui/notice.tsx';
import { type Integration, useIntegrationList, useIntegrationOptions } from '../parts.tsx';
import { PollForm } from './poll-form.tsx';
import { resourcesQuery } from './resources.ts';

/** About the height of the form, so that the dialog does not grow when it comes. */
const FORM_ROWS = 16;

/** Creates a poll of a resource that the catalog describes, or of one in the same shape, after a dry run if wanted. */
export function NewPollDialog({ onClose }: { onClose: () => void }) {
  const { polls: texts } = useTexts().events;
  const projectId = useProjectId();
  const list = useIntegrationList(projectId);
  const options = useIntegrationOptions(projectId);
  const first = useFirstToPoll(projectId, list.data?.integrations);
  return (
    <Dialog onClose={onClose} size="xl" title={texts.create}>
      <Loaded query={list} skeleton={<Bars rows={FORM_ROWS} />}>
        {({ integrations }) => {
          if (integrations.length === 0)
            return <Notice tone="info" title={texts.noIntegrations} foot={<CreateIntegrationLink />} />;
          return first === undefined ? (
            <Bars rows={FORM_ROWS} />
          ) : (
            <PollForm options={options} first={first} onClose={onClose} />
          );
        }}
      </Loaded>
    </Dialog>
  );
}

/** As many are looked at for the one that the form begins with. */
const LOOKED_MAX = 20;

/** The newest integration whose provider the catalog knows how to poll, else the newest; undefined until it is known. */
function useFirstToPoll(projectId: string, integrations: readonly Integration[] = []): string | undefined {
  const found = useQueries({
    queries: integrations
      .slice(0, LOOKED_MAX)
      .map(({ serviceProvider }) => resourcesQuery(serviceProvider, projectId)),
  });
  if (found.some(({ isPending }) => isPending)) return undefined;
  const index = found.findIndex(({ data }) => (data?.resources.length ?? 0) > 0);
  return integrations[Math.max(0, index)]?.id;
}

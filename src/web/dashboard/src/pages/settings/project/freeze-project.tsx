import { Button } from '@mantine/core';
import { api } from '../../../api/queries.ts';
import { useTexts } from '../../../texts/texts.tsx';
import { Section } from '../../../ui/page.tsx';
import { useAction } from '../../../ui/use-action.ts';
import styles from '../settings.module.css';
import type { Project } from '../use-project.ts';

const REFRESHED = ['/projects', '/activity', '/connections'];

/** The emergency stop of a project, and the end of all that its users have granted. */
export function FreezeProject({ project }: { project: Project }) {
  const { project: texts } = useTexts().settings;
  return (
    <Section title={texts.freezeTitle} lead={texts.freezeLead}>
      <div className={styles.formFoot}>
        {project.frozen === null ? <Freeze project={project} /> : <Unfreeze project={project} />}
        <RevokeAll project={project} />
      </div>
    </Section>
  );
}

function Freeze({ project: { id: projectId, name } }: { project: Project }) {
  const { project: texts } = useTexts().settings;
  const freeze = useAction({
    question: {
      title: texts.freezeConfirm(name),
      consequences: [texts.freezeCalls, texts.freezeBackground, texts.freezeKept],
      confirmLabel: texts.freeze,
    },
    send: () => api.post('/projects/{projectId}/freeze', { path: { projectId }, body: {} }),
    done: texts.frozen(name),
    refresh: REFRESHED,
  });
  return (
    <Button variant="default" loading={freeze.isPending} onClick={() => freeze.mutate()}>
      {texts.freeze}
    </Button>
  );
}

function Unfreeze({ project: { id: projectId, name } }: { project: Project }) {
  const { project: texts } = useTexts().settings;
  const unfreeze = useAction({
    send: () => api.post('/projects/{projectId}/unfreeze', { path: { projectId } }),
    done: texts.unfrozen(name),
    refresh: REFRESHED,
  });
  return (
    <Button loading={unfreeze.isPending} onClick={() => unfreeze.mutate()}>
      {texts.unfreeze}
    </Button>
  );
}

function RevokeAll({ project: { id: projectId, name } }: { project: Project }) {
  const { settings, common } = useTexts();
  const { project: texts } = settings;
  const revoke = useAction({
    question: {
      title: texts.revokeAllConfirm(name),
      consequences: [texts.revokeAllConnections, texts.revokeAllReport, common.cannotBeUndone],
      confirmLabel: texts.revokeAll,
      typedName: name,
    },
    send: () => api.post('/projects/{projectId}/revoke-all', { path: { projectId } }),
    done: texts.revokeAllBegun,
    refresh: REFRESHED,
  });
  return (
    <Button variant="default" c="var(--bad)" loading={revoke.isPending} onClick={() => revoke.mutate()}>
      {texts.revokeAll}
    </Button>
  );
}

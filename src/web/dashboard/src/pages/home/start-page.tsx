import { useNavigate } from '@tanstack/react-router';
import { useEffect } from 'react';
import { lastProject, useProjects } from '../../app/project.ts';
import { NewProjectForm } from '../../frame/new-project.tsx';
import { useTexts } from '../../texts/texts.tsx';
import { Loaded } from '../../ui/loaded.tsx';
import { PageHead, Section } from '../../ui/page.tsx';
import { OwnInvitations } from '../me/own-invitations.tsx';

/** `/`: goes on to the project looked at last. */
export function StartPage() {
  const { frame } = useTexts();
  return (
    <Loaded query={useProjects()}>
      {({ projects }) => {
        const target = projects.find(({ id }) => id === lastProject()) ?? projects[0];
        if (target) return <GoToProject projectId={target.id} />;
        return (
          <>
            <PageHead title={frame.newProject} lead={frame.noProjects} />
            <OwnInvitations />
            <Section>
              <NewProjectForm />
            </Section>
          </>
        );
      }}
    </Loaded>
  );
}

function GoToProject({ projectId }: { projectId: string }) {
  const navigate = useNavigate();
  useEffect(() => {
    void navigate({ to: '/p/$projectId', params: { projectId }, replace: true });
  }, [navigate, projectId]);
  return null;
}

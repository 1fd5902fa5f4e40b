import { useCanEdit, useRole } from '../../../app/session.ts';
import { Loaded } from '../../../ui/loaded.tsx';
import { ManagedByFile } from '../../../ui/managed-by-file.tsx';
import { type Project, useProject } from '../use-project.ts';
import { AddressCheck } from './address-check.tsx';
import { AddressList } from './address-list.tsx';
import { AgentSignIn } from './agent-sign-in.tsx';
import { Agents } from './agents.tsx';
import { DeleteProject } from './delete-project.tsx';
import { FreezeProject } from './freeze-project.tsx';
import { General } from './general.tsx';

/** Name, limit, the addresses of the application, and the end of the project. */
export function ProjectSection() {
  const query = useProject();
  return (
    <Loaded query={query}>
      {(project) => (
        <>
          <ManagedByFile objectId={project.id} />
          <General key={JSON.stringify([project.name, project.limits])} project={project} />
          <AddressList kind="allowedOrigins" entries={project.allowedOrigins} />
          <AddressList kind="returnUrls" entries={project.returnUrls} />
          <AddressCheck project={project} />
          <Agents key={`${project.requireMandate} ${project.approvalPage}`} project={project} />
          <AgentSignIn key={`sign-in ${JSON.stringify(project.agentSignIn)}`} project={project} />
          <FreezeCard project={project} />
          <DeleteCard projectId={project.id} name={project.name} />
        </>
      )}
    </Loaded>
  );
}

function FreezeCard({ project }: { project: Project }) {
  return useCanEdit(project.id) ? <FreezeProject project={project} /> : null;
}

function DeleteCard({ projectId, name }: { projectId: string; name: string }) {
  const role = useRole(projectId);
  return role === undefined || role === 'viewer' ? null : (
    <DeleteProject name={name} isOwner={role === 'owner'} />
  );
}

import { type ErrorCode, HttpError } from '../http/errors.ts';
import type { Principal } from '../http/principal.ts';
import type { Db } from '../platform/postgres/database.ts';
import { createAccessStore, type Role } from './access.store.ts';

/** `owner` is for what cannot be taken back: deleting the project and deciding who owns it. */
export type AccessMode = 'read' | 'write' | 'owner';

const ALLOWED: Readonly<Record<AccessMode, ReadonlySet<Role>>> = {
  read: new Set<Role>(['owner', 'admin', 'viewer']),
  write: new Set<Role>(['owner', 'admin']),
  owner: new Set<Role>(['owner']),
};

export type Access = ReturnType<typeof createAccess>;

/** Who may do what in which project. Always asks the store, so that a removed member is out at once. */
export function createAccess({ db }: { db: Db }) {
  const store = createAccessStore({ db });

  /** The projects that the principal may at least read. */
  async function projectsOf(principal: Principal): Promise<string[]> {
    if (principal.kind !== 'operator') return [principal.projectId];
    return store.projectsOfOperator(principal.operatorId);
  }

  /** The same, and the deleted projects that the operator owned at their end. */
  async function projectsToAudit(principal: Principal): Promise<string[]> {
    const projects = await projectsOf(principal);
    if (principal.kind !== 'operator') return projects;
    return [...projects, ...(await store.deletedProjectsOfOwner(principal.operatorId))];
  }

  /**
   * Throws `project_not_found` for a project that is missing or none of the principal's, and `insufficient_role`
   * (operators) or `forbidden_principal` (the others) where the principal may read but not do this. A change of who may do
   * what asks again in its transaction (`on`), with the project locked: the role may have changed meanwhile.
   */
  async function requireProjectAccess(
    principal: Principal,
    projectId: string,
    mode: AccessMode,
    on: Db = db,
  ): Promise<void> {
    if (principal.kind === 'operator') {
      const role = await store.roleOf(projectId, principal.operatorId, on);
      if (role === undefined) throw new HttpError('project_not_found');
      if (!ALLOWED[mode].has(role)) throw new HttpError('insufficient_role');
      return;
    }
    if (principal.projectId !== projectId.toLowerCase()) throw new HttpError('project_not_found');
    const mayDo: readonly AccessMode[] = principal.kind === 'api_key' ? ['read', 'write'] : ['read'];
    if (!mayDo.includes(mode)) throw new HttpError('forbidden_principal');
  }

  /**
   * The row that `read` finds in the principal's projects. Throws `absent` where there is none, so that a row of another
   * project looks like no row, and what `requireProjectAccess` throws where the principal may not do this with it.
   */
  async function find<Row extends { readonly projectId: string }>(
    principal: Principal,
    mode: AccessMode,
    absent: ErrorCode,
    read: (projectIds: readonly string[]) => Promise<Row | undefined>,
  ): Promise<Row> {
    const found = await read(await projectsOf(principal));
    if (found === undefined) throw new HttpError(absent);
    if (mode !== 'read') await requireProjectAccess(principal, found.projectId, mode);
    return found;
  }

  /**
   * The project that something is to be made in: the one that is named, or the only one there is. Throws
   * `invalid_request` where that is not clear, and what `requireProjectAccess` throws.
   */
  async function projectToChange(principal: Principal, asked: string | undefined): Promise<string> {
    const visible = await projectsOf(principal);
    const projectId = asked ?? (visible.length === 1 ? visible[0] : undefined);
    if (projectId === undefined) {
      throw new HttpError('invalid_request', {
        detail: 'Name the project.',
        errors: [{ path: 'body.projectId', message: 'required: you are a member of several projects' }],
      });
    }
    await requireProjectAccess(principal, projectId, 'write');
    return projectId;
  }

  /**
   * The project that is read: the one that is named, or the only one there is. Throws `invalid_request` where that is
   * not clear, and `project_not_found`.
   */
  async function projectToRead(principal: Principal, asked: string | undefined): Promise<string> {
    if (asked !== undefined) {
      await requireProjectAccess(principal, asked, 'read');
      return asked.toLowerCase();
    }
    const [only, ...others] = await projectsOf(principal);
    if (only !== undefined && others.length === 0) return only;
    throw new HttpError('invalid_request', {
      detail: 'Name the project.',
      errors: [{ path: 'query.projectId', message: 'required: you are not a member of exactly one project' }],
    });
  }

  return { projectsOf, projectsToAudit, requireProjectAccess, find, projectToChange, projectToRead };
}

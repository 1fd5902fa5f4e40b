import { userInfo } from 'node:os';
import { parseArgs } from 'node:util';
import { z } from 'zod';
import type { Log } from '#embedded-postgres/types.ts';
import type { Config } from '../config.ts';
import { createEndInvitations } from '../identity/invitations/end-invitations.ts';
import { isUuid } from '../lib/ids.ts';
import { ownMember } from '../lib/own-member.ts';
import {
  createOperatorCommands,
  OperatorCommandError,
  type OperatorCommands,
} from '../operators/gateway/operator-commands.ts';
import { createPersonalAccessTokensStore } from '../operators/personal-access-tokens/personal-access-tokens.store.ts';
import type { Database, Db } from '../platform/postgres/database.ts';
import { createInvitationsStore } from '../projects/invitations.store.ts';
import { createMembersStore } from '../projects/members.store.ts';
import { createProjectsStore } from '../projects/projects.store.ts';
import { withStore } from './operator-store.ts';
import { readPassword, type Terminal } from './read-password.ts';
import { createRecordCommand } from './record-command.ts';
import { STORE_COMMANDS } from './store-commands.ts';

const OPERATOR_USAGE = `Usage: npm run operator -- <command>
  list                                              operators, and projects with their owners
  create <email> [--project <id>]                   a new operator, owner of the project if one is named
  own <email> --project <id>                        makes an operator an owner of a project
  own-gateway <email>                               makes an operator an owner of the gateway itself
  reset-password <email>                            prints a one-time link to a new password
  reset-password <email> --password-stdin           sets a new password; personal access tokens end
  reset-password <email> --disable-otp              the same, and takes the second factor away at once
  disable-otp <email>                               takes an operator's second factor away
  freeze <project id>                               stops all that a project does at providers; unfreeze lets it go on
  rotate-key                                        makes the next encryption key, where ENCRYPTION_KMS wraps them
  move-store --to <DATABASE_URL>                    copies the store into an empty Postgres; the gateway must not run
  take-catalog --from <file.tgz> --integrity <sha512-…> a newer @integration-gateway/catalog, without a restart
  take-catalog --built-in                           the catalog that came with the gateway again
  token <email> [--days <n>]                        prints a new personal access token, this once; 90 days
\`create\` asks for a password, or reads it from standard input with --password-stdin. The settings are those of the gateway
(environment, .env), which may be running meanwhile. Every use is in the audit log. In the image: node src/operator.ts.`;

type Options = {
  readonly project?: string | undefined;
  readonly 'password-stdin'?: boolean | undefined;
  readonly 'disable-otp'?: boolean | undefined;
  readonly days?: string | undefined;
};

/**
 * Does what the arguments of `npm run operator` say. Rejects with OperatorCommandError, or with what the store and the
 * configuration throw, whose messages say what a person can do.
 */
export async function runOperatorCommand(
  args: readonly string[],
  config: () => Config,
  terminal: Terminal,
): Promise<void> {
  const { values, positionals } = parse(args);
  if (values.help) {
    terminal.write(OPERATOR_USAGE);
    return;
  }
  const [command, email, ...rest] = positionals;
  if (rest.length > 0) throw usage(`Too many arguments: ${rest.join(' ')}`);
  const ofStore = ownMember(STORE_COMMANDS, command);
  if (ofStore !== undefined) {
    if (email !== undefined) throw usage(`\`${command}\` takes no argument.`);
    return ofStore({
      settings: config(),
      terminal,
      log: logOf(terminal),
      systemUser: systemUser(),
      ...values,
    });
  }
  const run = ownMember(COMMANDS, command);
  if (!run) throw usage(command === undefined ? 'Name a command.' : `There is no command ${command}.`);
  // Everything that can be wrong with the arguments, before a store is opened or a password is asked for.
  const work = await run({ email, options: values, terminal });
  const [settings, log] = [config(), logOf(terminal)];
  await withStore(settings, log, (database) => work(commandsOn(database, settings, log), terminal));
}

type Work = (commands: OperatorCommands, terminal: Terminal) => Promise<void>;
type Invocation = {
  readonly email: string | undefined;
  readonly options: Options;
  readonly terminal: Terminal;
};

const COMMANDS: Readonly<Record<string, (invocation: Invocation) => Promise<Work>>> = {
  async list({ email }) {
    if (email !== undefined) throw usage('`list` takes no argument.');
    return list;
  },

  async create({ email, options, terminal }) {
    const projectId = options.project && projectIdIn(options.project);
    const owner = { email: emailIn(email), projectId: projectId || undefined };
    const password = await readPassword(options, terminal);
    return async (commands) => {
      const { id, email: created } = await commands.create({ ...owner, password });
      terminal.print(
        `Operator ${created} created (${id}). \`token ${created}\` prints credentials for the API.`,
      );
    };
  },

  async own({ email, options, terminal }) {
    const address = emailIn(email);
    if (options.project === undefined) throw usage('`own` needs --project <id>.');
    const projectId = projectIdIn(options.project);
    return async (commands) => {
      const operator = await commands.own(address, projectId);
      terminal.print(`${operator.email} is an owner of project ${projectId}.`);
    };
  },

  async 'own-gateway'({ email, terminal }) {
    const address = emailIn(email);
    return async (commands) => {
      const isNew = await commands.ownGateway(address);
      terminal.print(`${address} ${isNew ? 'is an owner of the gateway now' : 'owned the gateway before'}.`);
    };
  },

  async 'reset-password'({ email, options, terminal }) {
    const address = emailIn(email);
    if (!options['password-stdin']) {
      return async (commands) => {
        const link = await commands.issueResetLink(address);
        if (options['disable-otp']) await commands.disableOtp(address);
        terminal.print(
          'A link to a new password. It works once, for an hour. Using it ends all sessions and personal access tokens.',
        );
        terminal.write(link);
      };
    }
    const password = await readPassword(options, terminal);
    return async (commands) => {
      const disableOtp = options['disable-otp'] ?? false;
      const done = await commands.resetPassword(address, password, { disableOtp });
      terminal.print(
        `The password of ${done.email} is set. All sessions and ${done.endedTokens} personal access tokens have ended.`,
      );
      if (done.otpEnabled) {
        terminal.print(`The second factor stays; \`disable-otp ${done.email}\` takes it away.`);
      }
    };
  },

  async 'disable-otp'({ email, terminal }) {
    const address = emailIn(email);
    return async (commands) => {
      const wasOn = await commands.disableOtp(address);
      terminal.print(wasOn ? `${address} signs in without a code now.` : `${address} has no second factor.`);
    };
  },

  freeze: (invocation) => freezeWith(invocation, true),

  unfreeze: (invocation) => freezeWith(invocation, false),

  async token({ email, options, terminal }) {
    const address = emailIn(email);
    const days = options.days === undefined ? undefined : daysIn(options.days);
    return async (commands) => {
      const token = await commands.issueToken(address, days);
      terminal.print(
        'A personal access token, shown this once. Revoke it in DELETE /v1/personal-access-tokens/{id}.',
      );
      terminal.write(token);
    };
  },
};

/** Takes the project by itself or as --project. Without either it is the only one there is, so that nothing has to be looked up. */
async function freezeWith({ email: argument, options }: Invocation, isFrozen: boolean): Promise<Work> {
  const name = isFrozen ? 'freeze' : 'unfreeze';
  if (argument !== undefined && options.project !== undefined) throw usage(`\`${name}\` takes one project.`);
  const named = options.project ?? argument;
  const wanted = named === undefined ? undefined : projectIdIn(named);
  return async (commands, terminal) => {
    const projectId = wanted ?? (await onlyProject(commands, name));
    const isChanged = await commands.setFrozen(projectId, isFrozen);
    const state = isFrozen ? 'frozen' : 'not frozen';
    terminal.print(`Project ${projectId} is ${state}${isChanged ? ' now' : ', and was before'}.`);
  };
}

async function onlyProject(commands: OperatorCommands, name: string): Promise<string> {
  const [projectId, ...others] = await commands.listProjectIds();
  if (projectId === undefined || others.length > 0)
    throw usage(`\`${name}\` needs the id of a project, which \`list\` shows.`);
  return projectId;
}

const list: Work = async (commands, terminal) => {
  const { operators, projects } = await commands.list();
  terminal.write(
    operators.length === 0 ? 'No operators: the set-up link or `create` makes the first.' : 'Operators',
  );
  for (const { id, email, createdAt } of operators) {
    terminal.write(`  ${id}  ${createdAt.toISOString().slice(0, 10)}  ${email}`);
  }
  terminal.write(projects.length === 0 ? 'No projects' : 'Projects');
  for (const { id, name, owners } of projects) {
    terminal.write(`  ${id}  ${name}  ${owners.length === 0 ? '(nobody owns it)' : owners.join(', ')}`);
  }
};

function commandsOn({ knex: db }: Database, settings: Config, log: Log): OperatorCommands {
  const { publicUrl, personalAccessTokenDaysMax: daysMax } = settings;
  const members = createMembersStore({ db });
  const projects = createProjectsStore({ db });
  // Nothing is kept in memory here; running gateways read operators and members each time.
  const recordActivity = createRecordCommand(settings, log);
  return createOperatorCommands({
    db,
    endInvitations: createEndInvitations({ invitations: createInvitationsStore({ db }), recordActivity }),
    personalAccessTokens: createPersonalAccessTokensStore({ db }),
    async addOwner(trx: Db, projectId, operatorId) {
      if ((await projects.lock(trx, projectId)) === undefined) return undefined;
      if (await members.insert(trx, projectId, operatorId, 'owner')) return true;
      await members.setRole(trx, projectId, operatorId, 'owner');
      return false;
    },
    async setFrozen(trx: Db, projectId, isFrozen) {
      const current = await projects.lock(trx, projectId);
      if (current === undefined) return undefined;
      if ((current.frozen !== null) === isFrozen) return false;
      await projects.setFrozen(trx, projectId, isFrozen ? { reason: 'from the command line' } : undefined);
      return true;
    },
    listProjects: members.listOwnersOfAnyProject,
    recordActivity,
    systemUser: systemUser(),
    publicUrl,
    daysMax,
  });
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        project: { type: 'string' },
        'password-stdin': { type: 'boolean' },
        'disable-otp': { type: 'boolean' },
        days: { type: 'string' },
        to: { type: 'string' },
        from: { type: 'string' },
        integrity: { type: 'string' },
        'accept-hosts': { type: 'boolean' },
        'built-in': { type: 'boolean' },
        help: { type: 'boolean', short: 'h' },
      },
    });
  } catch (error) {
    throw usage(error instanceof Error ? error.message : String(error));
  }
}

function usage(fault: string): OperatorCommandError {
  return new OperatorCommandError(`${fault}\n\n${OPERATOR_USAGE}`);
}

function emailIn(text: string | undefined): string {
  const parsed = z.email().max(254).safeParse(text);
  if (parsed.success) return parsed.data;
  throw usage(text === undefined ? 'Name an e-mail address.' : `${text} is no e-mail address.`);
}

function daysIn(text: string): number {
  if (/^[1-9]\d{0,4}$/.test(text)) return Number(text);
  throw usage(`${text} is no number of days.`);
}

function projectIdIn(text: string): string {
  if (isUuid(text)) return text.toLowerCase();
  throw usage(`${text} is no project id. \`list\` shows them.`);
}

/** Containers run with user ids that no name belongs to. */
function systemUser(): string {
  try {
    return userInfo().username;
  } catch {
    return `uid ${process.getuid?.() ?? 'unknown'}`;
  }
}

function logOf({ print }: Terminal): Log {
  const say = (_fields: object, message: string) => print(message);
  const nothing = () => undefined;
  return { debug: nothing, info: nothing, warn: say, error: say };
}

import { writeFileSync } from 'node:fs';
import { createInterface } from 'node:readline/promises';
import { parseArgs } from 'node:util';
import { z } from 'zod';
import { showText } from '../src/approvals/show-text.ts';
import { ApiError, type ConfigurationApi, createConfigurationApi } from './configuration/api.ts';
import { FileError, openFile } from './configuration/open-file.ts';
import { findTargets, type Target, UsageError } from './configuration/targets.ts';
import { renderDrift, renderJson, renderPlan } from './configuration/texts.ts';

const USAGE = `Configures projects by files (docs/configuration.md).

  npm run gateway -- export [--project <id or name>] [--out <file>]
  npm run gateway -- plan   <file> [--overlay <file>]... [--project <id or name>] [--exit-code]
  npm run gateway -- apply  <file> [--overlay <file>]... [--project <id or name>] [--yes] [--state-hash <of a plan>]
  npm run gateway -- drift  [<file>] [--overlay <file>]... [--project <id or name>] [--exit-code]

--json           prints the answers of the gateway
--exit-code      exits with 2 where there is something to change, or drift
--yes            asks nothing; without a terminal nothing is asked

Environment: GATEWAY_URL, GATEWAY_API_KEY (igk_…, or an operator's personal access token, igo_…), GATEWAY_PROJECT,
and the variables that \${env:…} in the files names. \${file:…} is read beside the file.`;

const environment = z.object({
  GATEWAY_URL: z.url({ protocol: /^https?$/, error: 'is needed: the PUBLIC_URL of the gateway' }),
  GATEWAY_API_KEY: z
    .string({ error: 'is needed' })
    .regex(/^ig[ko]_/, 'must be a project API key (igk_…) or a personal access token (igo_…)'),
  GATEWAY_PROJECT: z.string().min(1).optional(),
});

type Options = ReturnType<typeof readArguments>['values'];

async function main(): Promise<number> {
  const { values, positionals } = readArguments();
  const [command, ...given] = positionals;
  if (values.help || command === undefined) {
    console.log(USAGE);
    return command === undefined && !values.help ? 1 : 0;
  }
  const run = COMMANDS[command];
  if (run === undefined) throw new UsageError(`There is no command ${command}.\n\n${USAGE}`);
  const settings = readEnvironment();
  const api = createConfigurationApi(settings.GATEWAY_URL, settings.GATEWAY_API_KEY);
  const [file, ...more] = [...given, ...(values.file === undefined ? [] : [values.file])];
  if (more.length > 0) throw new UsageError('Give one file, and what is laid over it by --overlay.');
  return run({ api, values, file, project: values.project ?? settings.GATEWAY_PROJECT });
}

type Run = {
  readonly api: ConfigurationApi;
  readonly values: Options;
  readonly file: string | undefined;
  readonly project: string | undefined;
};

const COMMANDS: Readonly<Record<string, (run: Run) => Promise<number>>> = {
  export: exportProject,
  plan: planFile,
  apply: applyFile,
  drift: findDrift,
};

async function exportProject({ api, values, project }: Run): Promise<number> {
  const { id } = await api.findProject(project);
  const { yaml } = await api.export(id);
  const schema = `# yaml-language-server: $schema=${api.url}/v1/configuration/schema\n`;
  if (values.out === undefined) console.log(forTerminal(`${schema}${yaml}`.trimEnd()));
  else writeFileSync(values.out, `${schema}${yaml}`);
  return 0;
}

/** A file stays as it is; a terminal would obey some of its characters. */
function forTerminal(text: string): string {
  return process.stdout.isTTY ? showText(text, { keepLines: true }) : text;
}

async function planFile(run: Run): Promise<number> {
  let isEmpty = true;
  for (const target of await openTargets(run)) {
    const planned = await target.plan();
    isEmpty &&= planned.changes.length === 0;
    tell(run, planned, () => renderPlan(target.name, planned));
  }
  return run.values['exit-code'] && !isEmpty ? 2 : 0;
}

/** Each project by a transaction of its own, in the order of the file. */
async function applyFile(run: Run): Promise<number> {
  const targets = await openTargets(run);
  if (targets.length > 1 && run.values['state-hash'] !== undefined)
    throw new UsageError('--state-hash is of one project: choose it by --project.');
  for (const target of targets) {
    const planned = await target.plan();
    tell(run, planned, () => renderPlan(target.name, planned));
    if (planned.changes.length > 0 && !(await isAllowed(run.values))) return 1;
    const applied = await target.apply(run.values['state-hash'] ?? planned.stateHash);
    tell(run, applied, () => `Applied to ${showText(target.name)}.`);
  }
  return 0;
}

async function findDrift(run: Run): Promise<number> {
  let isDrifted = false;
  const targets =
    run.file === undefined ? [await ofProject(run)] : await openTargets({ ...run, file: run.file });
  for (const { name, drift } of targets) {
    const found = await drift();
    isDrifted ||= found.drifted;
    tell(run, found, () => renderDrift(name, found));
  }
  return run.values['exit-code'] && isDrifted ? 2 : 0;
}

async function ofProject({ api, project }: Run): Promise<Pick<Target, 'name' | 'drift'>> {
  const { id, name } = await api.findProject(project);
  return { name, drift: () => api.drift(id, {}) };
}

async function openTargets({ api, values, file, project }: Run): Promise<Target[]> {
  if (file === undefined) throw new UsageError(`Name the file.\n\n${USAGE}`);
  const opened = await openFile(file, values.overlay, process.env);
  for (const missing of opened.missing)
    console.error(
      `No value for ${showText(missing)}: a secret that is there stays, any other field needs it.`,
    );
  return findTargets(api, opened, project);
}

function tell({ values }: Run, answer: unknown, render: () => string): void {
  console.log(values.json ? renderJson(answer) : render());
}

async function isAllowed({ yes }: Options): Promise<boolean> {
  if (yes || !process.stdin.isTTY) return true;
  const line = createInterface({ input: process.stdin, output: process.stderr });
  const answer = await line.question('Apply? Only "yes" does. ');
  line.close();
  return answer.trim() === 'yes';
}

function readArguments() {
  try {
    return parseArgs({
      allowPositionals: true,
      options: {
        file: { type: 'string', short: 'f' },
        overlay: { type: 'string', short: 'o', multiple: true, default: [] },
        project: { type: 'string', short: 'p' },
        out: { type: 'string' },
        'state-hash': { type: 'string' },
        json: { type: 'boolean', default: false },
        yes: { type: 'boolean', short: 'y', default: false },
        'exit-code': { type: 'boolean', default: false },
        help: { type: 'boolean', short: 'h', default: false },
      },
    });
  } catch (error) {
    throw new UsageError(`${error instanceof Error ? error.message : ''}\n\n${USAGE}`);
  }
}

function readEnvironment(): z.output<typeof environment> {
  const parsed = environment.safeParse(process.env);
  if (parsed.success) return parsed.data;
  throw new UsageError(
    parsed.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`).join('\n'),
  );
}

try {
  process.exitCode = await main();
} catch (error) {
  const isExpected = error instanceof UsageError || error instanceof FileError || error instanceof ApiError;
  console.error(isExpected ? showText(error.message, { keepLines: true }) : error);
  process.exitCode = 1;
}

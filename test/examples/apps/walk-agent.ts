import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import type { Browser } from 'playwright-core';
import { type Program, startProgram } from '../../../examples/run/program.ts';
import { openContext } from '../../support/browser.ts';
import { listen } from '../../support/listen.ts';
import { until } from '../../support/until.ts';
import { allowAtCrm } from './walk-page.ts';

/** The agent asks for an account, which its user connects in a browser; it reads, creates, is refused a deletion, and sees the event. */
export async function walkAgent({ browser, program }: { browser: Browser; program: Program }): Promise<void> {
  await reads(program, /Connect your account: (\S+)/);
  const [, address = ''] = /Connect your account: (\S+)/.exec(program.logs()) ?? [];
  program.type(await connect(browser, address));
  await reads(program, /Contacts: \S+@/);
  await reads(program, /Created contact \d+/);
  await reads(program, /Deleting it is refused: mandate_/);
  await reads(program, /Event: demo-crm\.contact\.created \d+/);
  assert.equal(await program.ended, 0);
}

type Started = { readonly folder: string; readonly env: Readonly<Record<string, string>> };

/** With a model, played by a server that asks for one tool and then answers in words. */
export async function walkModel({ folder, env }: Started): Promise<void> {
  const asked: { messages: { role: string; content: string }[]; tools: object[] }[] = [];
  const read = {
    name: 'read',
    arguments: JSON.stringify({ provider: 'demo-crm', path: '/crm/v3/objects/contacts' }),
  };
  const turns = [
    { role: 'assistant', tool_calls: [{ id: 'call-1', type: 'function', function: read }] },
    { role: 'assistant', content: 'There are contacts.' },
  ];
  const server = createServer(async (request, response) => {
    const message = turns[asked.push(JSON.parse(await text(request))) - 1];
    response.setHeader('content-type', 'application/json').end(JSON.stringify({ choices: [{ message }] }));
  });
  const url = `http://127.0.0.1:${await listen(server)}`;
  try {
    const model = { MODEL_URL: url, MODEL_API_KEY: 'key', MODEL_NAME: 'model' };
    const start = ['node', 'agent.js', 'Are there contacts?'];
    const program = startProgram({ start }, folder, { ...env, ...model });
    await reads(program, /There are contacts\./);
    assert.equal(await program.ended, 0);
    assert.ok((asked[0]?.tools.length ?? 0) > 3);
    const [, , , answer] = asked[1]?.messages ?? [];
    assert.match(answer?.content ?? '', /results/);
  } finally {
    server.close();
  }
}

async function reads(program: Program, text: RegExp): Promise<void> {
  let hasEnded = false;
  program.ended.then(() => {
    hasEnded = true;
  });
  await until(() => hasEnded || text.test(program.logs()));
  assert.match(program.logs(), text);
}

/** The code that the gateway's last page shows to its user. */
async function connect(browser: Browser, address: string): Promise<string> {
  const context = await openContext(browser);
  try {
    const page = await context.newPage();
    await page.goto(address);
    await allowAtCrm(page);
    const code = page.locator('#code');
    await code.waitFor();
    return await code.inputValue();
  } finally {
    await context.close();
  }
}

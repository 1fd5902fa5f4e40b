import type { Browser } from 'playwright-core';
import { type AgentClient, openEarlierClient, openModernClient } from '../support/agent-clients.ts';
import { startBrowser } from '../support/browser.ts';
import { type CardHost, openCardHost } from '../support/card-host.ts';
import { authorize, CONTACTS, PROVIDER, type Stage, startStage } from '../support/stage.ts';
import { until } from '../support/until.ts';

const URI = 'ui://integration-gateway/connect';
const CARDS = { extensions: { 'io.modelcontextprotocol/ui': { mimeTypes: ['text/html;profile=mcp-app'] } } };

let stage: Stage;
let browser: Browser;
const clients: AgentClient[] = [];
beforeAll(async () => {
  stage = await startStage();
  browser = await startBrowser();
});
afterAll(async () => {
  for (const client of clients) await client.close();
  await browser?.close();
  await stage?.close();
});

async function open(userId: string, capabilities = {}, openClient = openModernClient) {
  const address = `${stage.gateway.url}/projects/${stage.project.id}/mcp`;
  const client = await openClient({ address, token: stage.project.userToken(userId), capabilities });
  clients.push(client);
  return client;
}

const CONTACT = { provider: PROVIDER, path: CONTACTS };

describe.each([
  ['2026-07-28', openModernClient],
  ['2025-11-25', openEarlierClient],
])('in revision %s, a client that shows cards', (_revision, openClient) => {
  it('is led from a missing connection to the tool whose card has the button', async () => {
    const client = await open('ada', CARDS, openClient);
    const missing = await client.callTool('read', CONTACT);
    expect(missing).toMatchObject({ isError: true, structuredContent: { code: 'connection_needed' } });
    expect(missing.structuredContent).toHaveProperty('remedy', expect.stringContaining('tool connect'));
    expect(missing.structuredContent).not.toHaveProperty('connectUrl');
    const asked = await client.callTool('connect', { provider: PROVIDER });
    expect(asked.structuredContent).toMatchObject({
      isConnected: false,
      provider: PROVIDER,
      connectUrl: expect.stringContaining(`${stage.gateway.url}/connect/`),
    });
    // The text is what a model reads.
    expect(JSON.stringify(asked.content)).not.toContain('/connect/');
  });

  it('gets the card by the address in the list of tools, the same bytes whoever its user is', async () => {
    const [ada, ben] = await Promise.all([open('ada', CARDS, openClient), open('ben', {}, openClient)]);
    const { tools } = await ben.listTools();
    expect(tools.find(({ name }) => name === 'connect')).toHaveProperty('_meta.ui.resourceUri', URI);
    expect(tools.filter((tool) => JSON.stringify(tool).includes('ui://'))).toHaveLength(1);
    const [card] = await ada.readResource(URI);
    expect(card).toMatchObject({ uri: URI, mimeType: 'text/html;profile=mcp-app' });
    expect(await ben.readResource(URI)).toEqual([card]);
    expect(card?._meta).toMatchObject({ ui: { csp: { connectDomains: [], resourceDomains: [] } } });
    await expect(ada.readResource('ui://integration-gateway/other')).rejects.toThrow();
  });
});

describe('the card of a missing connection', () => {
  /** What the host shows for a user: the answer of `connect`, with the card that its tool names. */
  async function openCard(userId: string, context: object, options?: { opensLinks: boolean }) {
    const client = await open(userId, CARDS);
    const result = await client.callTool('connect', { provider: PROVIDER });
    const [card] = await client.readResource(URI);
    const calls: unknown[] = [];
    const host = await openCardHost(
      browser,
      (call) => {
        calls.push(call);
        return client.callTool('connect', argumentsOf(call));
      },
      options,
    );
    await host.show({ card: card?.text ?? '', input: { provider: PROVIDER }, result, context });
    return { client, host, calls };
  }

  function argumentsOf(call: unknown): Record<string, unknown> {
    const given = typeof call === 'object' && call !== null && 'arguments' in call ? call.arguments : {};
    return { ...(typeof given === 'object' && given) };
  }

  async function finish({ card }: CardHost, code: string): Promise<void> {
    await card.getByRole('textbox').fill(code);
    await card.getByRole('textbox').press('Enter');
  }

  it('opens the page by its button, takes the code of its end, and has the assistant go on', async () => {
    const { client, host, calls } = await openCard('card-user', { theme: 'light', locale: 'en-GB' });
    await host.card.getByRole('button', { name: 'Connect' }).click();
    await host.card.getByRole('textbox', { name: 'Code of the last page' }).waitFor();
    // The card shows its field without waiting for the host.
    await until(() => host.opened.length > 0);
    const page = await authorize(stage, host.opened[0] ?? '');
    const given = new URLSearchParams(new URL(page.url).hash.slice(1));
    await finish(host, 'nothing.of-the-kind');
    await host.card.getByText('That did not work').waitFor();
    await finish(host, `${given.get('connect_session')}.${given.get('completion_code')}`);
    await host.card.getByText(`Your account at ${PROVIDER} is connected.`).waitFor();
    expect(calls).toHaveLength(2);
    expect((await client.callTool('read', CONTACT)).structuredContent).toMatchObject({ status: 200 });
    expect(host.messages.join()).toContain('Please go on');
    expect(host.faults).toEqual([]);
    await host.close();
  });

  it('speaks the language of the host, and shows the address where that opens no pages', async () => {
    const { host } = await openCard('leser', { theme: 'dark', locale: 'de-AT' }, { opensLinks: false });
    await host.card.getByRole('button', { name: 'Verbinden' }).click();
    await host.card.getByText(`${stage.gateway.url}/connect/`).waitFor();
    expect(host.faults).toEqual([]);
    await host.close();
  });

  it('takes what a result says for text, and opens nothing but web pages', async () => {
    const { host } = await openCard('odd', { locale: 'xx' });
    const [card] = await (await open('odd')).readResource(URI);
    const results = [
      { provider: '<img src=x onerror=alert(1)>', connectUrl: 'https://a.example/' },
      { provider: 'hubspot', connectUrl: 'javascript:alert(1)' },
      { code: 'provider_unknown', detail: '<b>no</b>' },
    ];
    for (const structuredContent of results) {
      await host.show({
        card: card?.text ?? '',
        input: {},
        result: { content: [], structuredContent },
        context: {},
      });
      await host.card.getByText('There is nothing to connect here.').waitFor();
      expect(await host.card.locator('img, b').count()).toBe(0);
    }
    expect([host.opened, host.faults]).toEqual([[], []]);
    await host.close();
  });
});

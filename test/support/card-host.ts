import { createServer } from 'node:http';
import { build } from 'esbuild';
import type { Browser, FrameLocator, Page } from 'playwright-core';
import { openPage } from './browser.ts';
import { closeServer, listen } from './listen.ts';

/** What a host that shows cards does, by the official bridge of MCP Apps. */
const HOST_SCRIPT = `
import { AppBridge, PostMessageTransport } from '@modelcontextprotocol/ext-apps/app-bridge';
window.showCard = async ({ card, input, result, context }) => {
  const frame = document.createElement('iframe');
  frame.setAttribute('sandbox', 'allow-scripts');
  frame.style.cssText = 'width: 32rem; border: 0';
  document.body.replaceChildren(frame);
  const bridge = new AppBridge(null, { name: 'host', version: '1' }, { openLinks: {}, serverTools: {}, message: { text: {} } }, { hostContext: context });
  bridge.onopenlink = async ({ url }) => ({ isError: !(await window.openLink(url)) });
  bridge.oncalltool = (call) => window.callTool(call);
  bridge.onmessage = async (message) => { await window.takeMessage(message); return {}; };
  bridge.onsizechange = ({ height }) => { frame.style.height = height + 'px'; };
  const isReady = new Promise((resolve) => { bridge.oninitialized = resolve; });
  await bridge.connect(new PostMessageTransport(frame.contentWindow, frame.contentWindow));
  frame.srcdoc = card;
  await isReady;
  await bridge.sendToolInput({ arguments: input });
  await bridge.sendToolResult(result);
};
`;

export type CardHost = {
  readonly page: Page;
  readonly card: FrameLocator;
  readonly opened: string[];
  readonly messages: string[];
  /** What the card's page reports: refused requests, faults of its script. */
  readonly faults: string[];
  show(shown: {
    readonly card: string;
    readonly input: object;
    readonly result: object;
    readonly context: object;
  }): Promise<void>;
  close(): Promise<void>;
};

/** A page with the bridge of a host. `callTool` gets what the card calls. */
export async function openCardHost(
  browser: Browser,
  callTool: (call: unknown) => Promise<unknown>,
  { opensLinks = true } = {},
): Promise<CardHost> {
  const { outputFiles } = await build({
    stdin: { contents: HOST_SCRIPT, resolveDir: import.meta.dirname },
    ...{ bundle: true, write: false, format: 'iife', platform: 'browser', logLevel: 'error' },
  });
  const server = createServer((_request, response) => {
    const script = (outputFiles[0]?.text ?? '').replaceAll('</script', '<\\/script');
    response.setHeader('content-type', 'text/html; charset=utf-8');
    response.end(`<!doctype html><title>Host</title><body><script>${script}</script>`);
  });
  const url = `http://127.0.0.1:${await listen(server)}/`;
  const page = await openPage(browser);
  const opened: string[] = [];
  const messages: string[] = [];
  const faults: string[] = [];
  page.on('pageerror', (error) => faults.push(error.message));
  page.on('console', (message) => {
    if (message.type() === 'error') faults.push(message.text());
  });
  await page.exposeFunction('openLink', (link: string) => {
    opened.push(link);
    return opensLinks;
  });
  await page.exposeFunction('callTool', callTool);
  await page.exposeFunction('takeMessage', (message: unknown) => messages.push(JSON.stringify(message)));
  await page.goto(url);
  return {
    ...{ page, opened, messages, faults },
    card: page.frameLocator('iframe'),
    show: (shown) => page.evaluate(`window.showCard(${JSON.stringify(shown)})`).then(() => undefined),
    async close() {
      await page.close();
      await closeServer(server);
    },
  };
}

import http from 'node:http';
import { createMcpHandler, McpServer } from '@modelcontextprotocol/server';
import { z } from 'zod';

/**
 * The official SDK as its README uses it, on `node:http`, with one tool that answers at once with 1 KB: the least that a
 * call of a tool costs where the SDK does everything. Requests become web ones, which is all that it takes.
 */
const body = { results: 'x'.repeat(1024 - 14) };
const structuredContent = { source: 'provider', provider: 'bench', status: 200, body };
const inputSchema = z.strictObject({ provider: z.string(), path: z.string(), query: z.string().optional() });

const handler = createMcpHandler(() => {
  const server = new McpServer({ name: 'bare', version: '1' });
  server.registerTool('read', { inputSchema }, () => ({
    content: [{ type: 'text', text: JSON.stringify(structuredContent) }],
    structuredContent,
  }));
  return server;
});

const server = http.createServer((request, response) => {
  const pieces: Buffer[] = [];
  request.on('data', (piece: Buffer) => pieces.push(piece));
  request.once('end', () => {
    answer(request, Buffer.concat(pieces), response).catch(() => response.destroy());
  });
});

async function answer(
  { method = '', url = '', rawHeaders }: http.IncomingMessage,
  sent: Buffer,
  response: http.ServerResponse,
): Promise<void> {
  const headers = new Headers();
  for (let index = 0; index + 1 < rawHeaders.length; index += 2)
    headers.append(rawHeaders[index] ?? '', rawHeaders[index + 1] ?? '');
  const reply = await handler.fetch(new Request(`http://bare${url}`, { method, headers }), {
    parsedBody: JSON.parse(sent.toString()),
  });
  const text = await reply.text();
  const type = reply.headers.get('content-type') ?? 'text/plain';
  response.writeHead(reply.status, { 'Content-Type': type, 'Content-Length': Buffer.byteLength(text) });
  response.end(text);
}

server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  const port = typeof address === 'object' && address ? address.port : 0;
  process.stdout.write(`${JSON.stringify({ url: `http://127.0.0.1:${port}`, headers: {} })}\n`);
});

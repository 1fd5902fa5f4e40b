import http from 'node:http';
import { parseArgs } from 'node:util';
import { createProxyServer } from 'httpxy';

/** httpxy as its README uses it, with its own keep-alive agent: the measure of what proxying alone costs in Node. */
const { values: options } = parseArgs({ options: { upstream: { type: 'string', default: '' } } });
const proxy = createProxyServer({ target: options.upstream });
const server = http.createServer((request, response) => {
  proxy.web(request, response).catch(() => response.destroy());
});
server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  const port = typeof address === 'object' && address ? address.port : 0;
  process.stdout.write(`${JSON.stringify({ url: `http://127.0.0.1:${port}`, headers: {} })}\n`);
});

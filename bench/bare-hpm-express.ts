import http from 'node:http';
import { parseArgs } from 'node:util';
import express from 'express';
import { createProxyMiddleware } from 'http-proxy-middleware';

/** http-proxy-middleware on Express as its README uses it, with a keep-alive agent. */
const { values: options } = parseArgs({ options: { upstream: { type: 'string', default: '' } } });
const app = express();
const agent = new http.Agent({ keepAlive: true });
app.use(createProxyMiddleware({ target: options.upstream, changeOrigin: true, agent }));
const server = app.listen(0, '127.0.0.1', () => {
  const address = server.address();
  const port = typeof address === 'object' && address ? address.port : 0;
  process.stdout.write(`${JSON.stringify({ url: `http://127.0.0.1:${port}`, headers: {} })}\n`);
});

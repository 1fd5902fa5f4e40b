import http from 'node:http';

/**
 * A provider that needs nothing installed: 1 KB of JSON, 10 MB where the path ends in `/large`, events behind `/stream`, tokens behind
 * `/token`, and behind `/given` how many it gave.
 */
const LARGE_FILE_BYTES = 10 * 1024 * 1024;
const document = Buffer.from(JSON.stringify({ results: 'x'.repeat(1024 - 14) }));
const large = Buffer.alloc(LARGE_FILE_BYTES, 'x');
let given = 0;

const server = http.createServer((request, response) => {
  if (request.url?.endsWith('/stream')) {
    response.writeHead(200, { 'Content-Type': 'text/event-stream' });
    response.write('data: begun\n\n');
    return;
  }
  const body = answerTo(request.url);
  request.resume().once('end', () => {
    response.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': body.length });
    response.end(body);
  });
});
server.keepAliveTimeout = 600_000;
server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  const port = typeof address === 'object' && address ? address.port : 0;
  process.stdout.write(`${JSON.stringify({ url: `http://127.0.0.1:${port}`, headers: {} })}\n`);
});

function answerTo(path = ''): Buffer {
  if (path === '/token') return giveToken();
  if (path === '/given') return Buffer.from(String(given));
  return path.endsWith('/large') ? large : document;
}

function giveToken(): Buffer {
  given += 1;
  const token = String(given).padStart(120, 'n');
  const tokens = { access_token: token, refresh_token: `r${token}`, token_type: 'Bearer', expires_in: 3600 };
  return Buffer.from(JSON.stringify(tokens));
}

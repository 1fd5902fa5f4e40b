import http from 'node:http';

/** A provider with a token endpoint: tokens behind `/token`, how many it gave behind `/given`, 1 KB of JSON elsewhere. */
const document = Buffer.from(JSON.stringify({ results: 'x'.repeat(1024 - 14) }));
let given = 0;

const server = http.createServer((request, response) => {
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
  process.stdout.write(`${JSON.stringify({ url: `http://127.0.0.1:${port}` })}\n`);
});

function answerTo(url: string | undefined): Buffer {
  if (url === '/token') return giveToken();
  return url === '/given' ? Buffer.from(String(given)) : document;
}

function giveToken(): Buffer {
  given += 1;
  const token = String(given).padStart(120, 'n');
  return Buffer.from(
    JSON.stringify({
      access_token: token,
      refresh_token: `r${token}`,
      token_type: 'Bearer',
      expires_in: 3600,
    }),
  );
}

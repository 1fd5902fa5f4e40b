import { createServer } from 'node:http';
import { pathToFileURL } from 'node:url';

/** Serves the route handler of the file in the first argument as Next.js does: a Request of the web in, a Response out. */
const { POST } = await import(pathToFileURL(process.argv[2]).href);

createServer(async (incoming, outgoing) => {
  const chunks = await Array.fromAsync(incoming);
  const { method, url, headers } = incoming;
  const request = new Request(`http://localhost${url}`, { method, headers, body: Buffer.concat(chunks) });
  const response = await POST(request).catch(() => new Response(null, { status: 500 }));
  outgoing.writeHead(response.status, Object.fromEntries(response.headers));
  outgoing.end(Buffer.from(await response.arrayBuffer()));
}).listen(Number(process.env.PORT));

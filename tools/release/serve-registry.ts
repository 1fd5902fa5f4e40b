import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { releaseFolder } from '../../scripts/release/packages.ts';

/** Serves a folder that `publish-to-folder.ts` wrote as npm asks a registry, on a port that it prints. */
const folder = releaseFolder();
const PACKAGE = /^\/@[a-z-]+\/[a-z-]+$/;
const TARBALL = /^\/@[a-z-]+\/[a-z-]+\/-\/[\w.-]+\.tgz$/;
const server = createServer((request, response) => {
  const path = decodeURIComponent(new URL(request.url ?? '', 'http://localhost').pathname);
  const isPackage = PACKAGE.test(path);
  if (!isPackage && !TARBALL.test(path)) return response.writeHead(404).end('{}');
  try {
    const content = readFileSync(join(folder, 'registry', path, isPackage ? 'index.json' : ''));
    if (!isPackage) return response.end(content);
    response.setHeader('content-type', 'application/json');
    const origin = `http://${request.headers.host}`;
    return response.end(content.toString('utf8').replaceAll('"tarball": "', `"tarball": "${origin}`));
  } catch {
    return response.writeHead(404).end('{}');
  }
});
server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  if (address !== null && typeof address === 'object') console.log(`http://127.0.0.1:${address.port}`);
});

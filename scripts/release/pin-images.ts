import { readFileSync, writeFileSync } from 'node:fs';
import { DOCKERFILE, listBaseImages } from './images.ts';
import { ROOT } from './packages.ts';
import { runProgram } from './run-program.ts';

/**
 * `npm run pin:images`: writes into the Dockerfile what the tags of its base images mean today, for all platforms. It needs Docker with
 * buildx, and the images' registries.
 */
let dockerfile = readFileSync(DOCKERFILE, 'utf8');
for (const { variable, tag } of listBaseImages(dockerfile)) {
  const parts = ['buildx', 'imagetools', 'inspect', tag, '--format', '{{.Manifest.Digest}}'];
  const digest = runProgram('docker', parts, ROOT).trim();
  if (!/^sha256:[0-9a-f]{64}$/.test(digest)) throw new Error(`Docker says ${digest} of ${tag}.`);
  dockerfile = dockerfile.replace(
    new RegExp(`^ARG ${variable}=.*$`, 'm'),
    `ARG ${variable}=${tag}@${digest}`,
  );
  console.log(`${tag}@${digest}`);
}
writeFileSync(DOCKERFILE, dockerfile);

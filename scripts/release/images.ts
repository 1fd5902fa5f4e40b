import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from './packages.ts';

export const DOCKERFILE = join(ROOT, 'Dockerfile');

/** Images that the Dockerfile builds on; its first line names the syntax, which its own maker pins. */
export function listBaseImages(
  dockerfile = readFileSync(DOCKERFILE, 'utf8'),
): { variable: string; tag: string; digest: string | undefined }[] {
  return [...dockerfile.matchAll(/^ARG (\w+_IMAGE)=([^\s@]+)(?:@(sha256:[0-9a-f]{64}))?$/gm)].map(
    ([, variable = '', tag = '', digest]) => ({ variable, tag, digest }),
  );
}

/** A tag may mean other bytes tomorrow. Images that are no variable above are stages, or not known to `pin-images.ts`. */
export function listUnpinnedImages(dockerfile = readFileSync(DOCKERFILE, 'utf8')): string[] {
  const known = new Map(listBaseImages(dockerfile).map((image) => [`\${${image.variable}}`, image]));
  const stages = new Set([...dockerfile.matchAll(/^FROM .* AS (\w+)$/gm)].map(([, name]) => name));
  const used = [...dockerfile.matchAll(/^FROM (?:--platform=\S+ )?(\S+)/gm)].map(([, image = '']) => image);
  const unpinned = used.filter((image) => !stages.has(image) && known.get(image)?.digest === undefined);
  return [...new Set(unpinned.map((image) => known.get(image)?.variable ?? image))];
}

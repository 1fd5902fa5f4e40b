import { listBaseImages, listUnpinnedImages } from './images.ts';

/** A step of the release, before an image is built: each base image is named by its digest. */
const unpinned = listUnpinnedImages();
for (const image of unpinned)
  console.error(`${image} has no digest: npm run pin:images, and commit the Dockerfile`);
if (unpinned.length > 0) process.exit(1);
for (const { tag, digest } of listBaseImages()) console.log(`${tag} ${digest}`);

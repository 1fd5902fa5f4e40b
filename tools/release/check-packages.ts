import { join } from 'node:path';
import { PACKAGES, releaseFolder, tarballName } from '../../scripts/release/packages.ts';
import { judgePackage } from './judge-packages.ts';

/** A step of the release: what publint and are-the-types-wrong say of each package. */
const folder = releaseFolder();
let count = 0;
for (const { name, hasTypes } of PACKAGES) {
  const faults = await judgePackage(join(folder, 'packages', tarballName(name)), hasTypes);
  for (const fault of faults) console.error(`${name}: ${fault}`);
  if (faults.length === 0) console.log(`${name}: no fault`);
  count += faults.length;
}
process.exit(count === 0 ? 0 : 1);

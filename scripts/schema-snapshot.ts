import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

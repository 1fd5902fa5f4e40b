import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { ROOT } from '../manifests.ts';
import type { NetworkReport } from './network-walk.ts';

async function walkInNetwork(): Promise<NetworkReport> {
  const walk = join(import.meta.dirname, 'network-walk.ts');
  const network = join(import.meta.dirname, 'network.sh');
  const shell = ['--net', '--mount', 'sh', '-e', network, process.execPath, walk];
  const folder = process.env.NETWORK_FOLDER;
  const child = spawn('unshare', shell, { cwd: ROOT, env: { ...process.env, FOLDER: folder } });
  const [out, errors] = await Promise.all([text(child.stdout), text(child.stderr)]);
  const report = out.split('\n').find((line) => line.startsWith('{'));
  if (report === undefined) throw new Error(`the walk ended without a report: ${errors.slice(-2_000)}`);
  return JSON.parse(report);
}

describe('a gateway, its dashboard and the main job', () => {
  let report: NetworkReport;
  beforeAll(async () => {
    report = await walkInNetwork();
  }, 300_000);

  it('run where each name that is asked for and each packet that leaves would be noticed', () => {
    expect(report.control.names).toEqual(['control.example']);
    expect(report.control.packets).toBeGreaterThan(0);
  });

  it('were used: an account was connected, called, and the pages of the dashboard opened', () => {
    expect(report.contacts).toBeGreaterThan(0);
    expect(report.pages.length).toBeGreaterThan(12);
  });

  it('ask for no name, send nothing to another machine, and load nothing from elsewhere', () => {
    expect(report.names).toEqual([]);
    expect(report.packets).toBe(0);
    expect(report.foreignRequests).toEqual([]);
  });
});

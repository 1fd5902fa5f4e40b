import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ensureChromium, findChromium, findHeadlessShell } from '../../scripts/find-chromium.ts';

describe('the search for a browser', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'gateway-browser-'));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  function program(name: string, mode = 0o755): string {
    const path = join(folder, name);
    writeFileSync(path, '#!/bin/sh\n');
    chmodSync(path, mode);
    return path;
  }

  it('takes what CHROMIUM_PATH names before anything on the PATH', () => {
    program('chromium');
    const named = program('my-browser');
    expect(findChromium({ env: { PATH: folder, CHROMIUM_PATH: named }, places: [] })).toBe(named);
  });

  it('finds Chromium and Chrome on the PATH, Chromium first', () => {
    const chrome = program('google-chrome');
    expect(findChromium({ env: { PATH: `/nowhere:${folder}` }, places: [] })).toBe(chrome);
    const chromium = program('chromium');
    expect(findChromium({ env: { PATH: folder }, places: [] })).toBe(chromium);
  });

  it('finds the headless shell beside them, unless CHROMIUM_PATH names a browser', () => {
    expect(findHeadlessShell({ env: { PATH: folder } })).toBeUndefined();
    const shell = program('chromium-headless-shell');
    expect(findChromium({ env: { PATH: folder }, places: [] })).toBeUndefined();
    expect(findHeadlessShell({ env: { PATH: folder } })).toBe(shell);
    expect(findHeadlessShell({ env: { PATH: folder, CHROMIUM_PATH: '/my/browser' } })).toBeUndefined();
  });

  it('looks where applications are installed without being on the PATH', () => {
    const application = program('Google Chrome');
    expect(findChromium({ env: { PATH: '' }, places: ['/nowhere/Chrome', application] })).toBe(application);
  });

  it('takes no file that cannot be executed', () => {
    program('chromium', 0o644);
    expect(findChromium({ env: { PATH: folder }, places: [] })).toBeUndefined();
  });

  it('takes no directory', () => {
    mkdirSync(join(folder, 'chromium'));
    expect(findChromium({ env: { PATH: folder, CHROMIUM_PATH: folder }, places: [] })).toBeUndefined();
  });

  it('tells who may not install one what to run', () => {
    const search = { env: { PATH: folder }, places: [], mayInstall: false };
    expect(() => ensureChromium(search)).toThrow(/sudo apt-get install -y chromium.*CHROMIUM_PATH=/);
  });
});

import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parse } from 'yaml';
import { z } from 'zod';
import { ensurePromtool } from '../../scripts/find-promtool.ts';
import { ERROR_CODES } from '../../src/http/error-codes.ts';
import { type Gateway, startGateway } from '../support/gateway.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const RULES = join(ROOT, 'deploy/prometheus');
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');
const rulesText = read('deploy/prometheus/rules.yml');
const dashboardText = read('deploy/grafana/integration-gateway.json');

const rule = z.object({
  alert: z.string(),
  expr: z.string(),
  labels: z.object({ severity: z.enum(['warning', 'critical']) }),
  annotations: z.object({ summary: z.string(), runbook: z.string() }),
});
const { groups } = z.object({ groups: z.array(z.object({ rules: z.array(rule) })) }).parse(parse(rulesText));
const rules = groups.flatMap((group) => group.rules);

const target = z.object({ expr: z.string() });
const { panels } = z
  .object({ panels: z.array(z.object({ title: z.string(), targets: z.array(target).default([]) })) })
  .parse(JSON.parse(dashboardText));

/** Metrics by the names of their families. */
function namesIn(text: string): string[] {
  const names = text.match(/\b(?:gateway|nodejs|process)_[a-z0-9_]+/g) ?? [];
  return [...new Set(names.map((name) => name.replace(/_(?:bucket|sum|count)$/, '')))];
}

let gateway: Gateway;
beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(() => gateway?.stop());

describe('rules and dashboard', () => {
  it('name only metrics that a gateway has', async () => {
    const page = await (await fetch(`${gateway.url}/metrics`)).text();
    const families = new Set([...page.matchAll(/^# TYPE (\S+)/gm)].map(([, name]) => name));
    const named = [...rules, ...panels.flatMap(({ targets }) => targets)].flatMap(({ expr }) =>
      namesIn(expr),
    );
    expect(new Set(named).size).toBeGreaterThan(20);
    expect([...new Set(named)].filter((name) => !families.has(name))).toEqual([]);
  });

  it('show every metric of the gateway’s own on the dashboard', async () => {
    const page = await (await fetch(`${gateway.url}/metrics`)).text();
    const own = [...page.matchAll(/^# TYPE (gateway_\S+)/gm)].map(([, name = '']) => name);
    const shown = namesIn(dashboardText);
    expect(own.filter((name) => !shown.includes(name))).toEqual([]);
  });

  it('name outcomes of calls that there are', () => {
    const codes = [...rulesText.matchAll(/gateway_proxy_calls_total\{outcome=~"([^"]+)"/g)]
      .flatMap(([, pattern = '']) => pattern.split('|'))
      .filter((code) => /^[a-z_]+$/.test(code));
    expect(codes.length).toBeGreaterThan(2);
    expect(codes.filter((code) => !ERROR_CODES.some((known) => known === code))).toEqual([]);
  });
});

describe('the rules', () => {
  it('are taken by Prometheus’ own checker, and fire when their tests say', () => {
    const promtool = ensurePromtool();
    for (const args of [
      ['check', 'rules', 'rules.yml'],
      ['test', 'rules', 'rules.test.yml'],
    ]) {
      const { status, stdout, stderr } = spawnSync(promtool, args, { cwd: RULES, encoding: 'utf8' });
      expect({ status, output: status === 0 ? '' : stdout + stderr }).toEqual({ status: 0, output: '' });
    }
  });

  it('each have a test for when they fire and one for when they do not, and a section of the runbook', () => {
    const tests = read('deploy/prometheus/rules.test.yml');
    const operations = read('docs/operations.md');
    for (const { alert, annotations } of rules) {
      expect(tests.match(new RegExp(`alertname: ${alert}\\n +exp_alerts:(?! \\[\\])`, 'g'))).toHaveLength(1);
      expect(tests.match(new RegExp(`alertname: ${alert}\\n +exp_alerts: \\[\\]`, 'g'))).toHaveLength(1);
      expect(annotations.runbook).toBe(`docs/operations.md#${alert.toLowerCase()}`);
      expect(operations).toContain(`\n### ${alert}\n`);
    }
  });
});

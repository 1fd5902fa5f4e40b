import { createConfig, lintFromString } from '@redocly/openapi-core';
import { API_RULES, ONLY_OF_PATHS, SPECIFIED_NAMES } from './rules.ts';

/** What in an OpenAPI document breaks a rule, one line each: `rule: message (place)`. */
export async function lintApi(documentText: string): Promise<string[]> {
  const config = await createConfig(API_RULES);
  const problems = await lintFromString({ source: documentText, absoluteRef: '/openapi.json', config });
  return problems.flatMap(({ ruleId, message, location }) => {
    const place = location[0]?.pointer ?? '';
    const name = place.split('/').at(-1) ?? '';
    if (ONLY_OF_PATHS.has(ruleId) && place.startsWith('#/webhooks/')) return [];
    if (ruleId === 'rule/property-camel-case' && SPECIFIED_NAMES.has(name)) return [];
    return [`${ruleId}: ${message} (${place})`];
  });
}

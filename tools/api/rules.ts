import type { RawUniversalConfig } from '@redocly/openapi-core';

/**
 * The rules that the OpenAPI document is held to: Redocly's strict set (ambiguous paths, unique operation ids, refusals
 * for each operation, no unused or unresolved parts) and the guidelines for HTTP APIs that Zalando and Google share.
 * What is left out says why.
 */
export const API_RULES: RawUniversalConfig = {
  extends: ['recommended-strict'],
  rules: {
    // The committed document is of a gateway on this machine; each gateway serves its own address.
    'no-server-example.com': 'off',
    'array-parameter-serialization': 'error',
    'no-enum-type-mismatch': 'error',
    'no-http-verbs-in-paths': {
      severity: 'error',
      splitIntoWords: true,
      excludedPaths: ['/sign-in-options'],
    },
    'no-required-schema-properties-undefined': 'error',
    'no-schema-type-mismatch': 'error',
    'operation-description': 'error',
    'operation-operationId-url-safe': 'error',
    'parameter-description': 'error',
    'path-not-include-query': 'error',
    'tag-description': 'error',
    'rule/operation-id-camel-case': {
      subject: { type: 'Operation', property: 'operationId' },
      assertions: { casing: 'camelCase' },
      message: 'Ids of operations are camelCase: generated clients take their names from them.',
      severity: 'error',
    },
    'rule/parameter-camel-case': {
      subject: { type: 'Parameter', property: 'name' },
      where: [{ subject: { type: 'Parameter', property: 'in' }, assertions: { enum: ['query', 'path'] } }],
      assertions: { casing: 'camelCase' },
      message: 'Parameters are camelCase.',
      severity: 'error',
    },
    'rule/property-camel-case': {
      subject: { type: 'SchemaProperties' },
      assertions: { casing: 'camelCase' },
      message: 'Members of bodies are camelCase.',
      severity: 'error',
    },
    'rule/path-kebab-case': {
      subject: { type: 'Paths' },
      assertions: { pattern: '/^(\\/([a-z0-9]+(-[a-z0-9]+)*|\\{[a-zA-Z]+\\}))+$/' },
      message: 'Paths are kebab-case, parameters camelCase.',
      severity: 'error',
    },
    'operation-4xx-problem-details-rfc7807': 'error',
  },
};

/** The answers that a receiver of webhooks gives are not the gateway's. */
export const ONLY_OF_PATHS: ReadonlySet<string> = new Set(['operation-4xx-problem-details-rfc7807']);

/** Names that the service's specification gives. */
export const SPECIFIED_NAMES: ReadonlySet<string> = new Set(['NoAuthMetadata', 'ProviderAccount']);

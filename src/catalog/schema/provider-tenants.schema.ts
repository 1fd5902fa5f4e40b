import { z } from 'zod';
import { dottedPath, parameterName, sentHeaders, urlTemplate } from './provider-fields.schema.ts';

/** What people call a tenant: the word on the page that asks for it. */
export const TENANT_KINDS = [
  'account',
  'organization',
  'company',
  'site',
  'workspace',
  'business',
  'location',
  'project',
  'page',
] as const;

const CONDITIONS_MAX = 5;
const VALUES_MAX = 20;

const paths = z.union([dottedPath, z.array(dottedPath).min(1).max(5)]);
/** `@odata.nextLink` and its like, beside ordinary paths. */
const memberPath = z.string().regex(/^[A-Za-z0-9_.@$-]{1,200}$/, 'a dotted path of members');
const values = z.array(z.string().min(1).max(200)).min(1).max(VALUES_MAX);

/** A condition on one element of the list. Where the path leads to a list, one of its elements has to fit. */
const condition = z.strictObject({
  path: dottedPath,
  /** One of these values. */
  is: values.optional(),
  /** None of these values. */
  not: values.optional(),
  /** A pattern for the whole value, in the syntax of RE2. */
  matches: z.string().max(200).optional(),
});

/** How the pages of the list follow each other. */
const paging = z.discriminatedUnion('by', [
  z.strictObject({ by: z.literal('none') }),
  /** The answer has the address of the next page. */
  z.strictObject({ by: z.literal('link'), path: memberPath }),
  /** The `Link` header has it (RFC 8288). */
  z.strictObject({ by: z.literal('link-header') }),
  /** The answer has a token, which the next request carries as a query parameter. */
  z.strictObject({ by: z.literal('token'), path: memberPath, parameter: parameterName }),
  /** Pages are counted; an empty one, or one without anything new, is the last. */
  z.strictObject({
    by: z.literal('page'),
    parameter: parameterName,
    first: z.int().min(0).max(1).default(1),
  }),
  /** What was listed already is counted. */
  z.strictObject({ by: z.literal('offset'), parameter: parameterName }),
]);

/** What a provider file says of the sites, organisations or accounts among which one grant may reach several. */
export const tenantFields = {
  tenants: z
    .strictObject({
      kind: z.enum(TENANT_KINDS).default('account'),
      /** Lists them, with the connection's credential. */
      request: z.strictObject({
        url: urlTemplate,
        method: z.enum(['GET', 'POST']).default('GET'),
        headers: sentHeaders(z.string()).default({}),
        /** JSON of a POST (a GraphQL query). */
        body: z.record(z.string(), z.unknown()).optional(),
      }),
      paging: paging.default({ by: 'none' }),
      /** The member of the answer that holds the list. Left out: the answer is the list. */
      items: memberPath.optional(),
      /** Within an element of the list, like the paths of variables with `from: tenant`. Of several, the first that is there. */
      id: paths,
      name: paths.optional(),
      /** What distinguishes tenants of the same name, such as an address. */
      detail: paths.optional(),
      /** Which elements count: all of these conditions hold. */
      where: z.array(condition).max(CONDITIONS_MAX).default([]),
      /**
       * false: the user is not asked, because the provider's calls name the tenant themselves. The connection then has
       * one only where the grant reaches one, or where the application names it.
       */
      asked: z.boolean().default(true),
    })
    .optional(),
};

export type TenantsFile = NonNullable<z.output<typeof tenantFields.tenants>>;

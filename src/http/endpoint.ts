import type { Request } from 'express';
import type { z } from 'zod';
import type { Db } from '../platform/postgres/database.ts';
import type { ApiTag } from './api-tags.ts';
import type { Deprecation } from './deprecation.ts';
import type { ErrorCode } from './errors.ts';
import type { WriteStream } from './idempotency.ts';
import type { KeyScopeDecision } from './key-scopes.ts';
import type { Principal, PrincipalKind, PrincipalOf } from './principal.ts';

/** Bodies are small, and what a body may cost to judge grows with its size. */
const BODY_BYTES_MAX = 64 * 1024;

/** An object schema that refuses unknown members: `z.strictObject`. */
type StrictObject = z.ZodObject<z.core.$ZodLooseShape, z.core.$strict>;
type NoMembers = z.ZodObject<Record<never, never>, z.core.$strict>;

type EndpointMethod = 'get' | 'post' | 'patch' | 'delete';

/** The error for a caller of the wrong kind, in place of `forbidden_principal`. */
type PrincipalRefusal = { readonly code: ErrorCode; readonly detail?: string };

/** What a handler gives back; `body` is cut down to the success schema. */
export type EndpointReply<Output> = {
  readonly body?: Output;
  /** Instead of `body`: the same as JSON text, where a handler keeps parts of it that `serializeDeclaredBody` has made. */
  readonly bodyText?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** `Set-Cookie` fields. They go out with the first reply only, never with one that is kept for repeats. */
  readonly cookies?: readonly string[];
  readonly etag?: string | undefined;
  /** Instead of `body`: a body that is not JSON, of the first declared media type unless `headers` has a `Content-Type`. */
  readonly stream?: WriteStream;
  /** Given instead of `body`: the reply is the operation's other one. */
  readonly otherBody?: unknown;
};

/**
 * Runs `work` in a transaction and keeps its reply for repeats of the request in the same transaction, so that a crash
 * leaves both or neither. A handler that changes something does so in here, once, and answers what comes back.
 */
export type CommitReply = <Output>(
  db: Db,
  work: (trx: Db) => Promise<EndpointReply<Output>>,
) => Promise<EndpointReply<Output>>;

/** A second kind of success, with a status of its own (a trial run of an operation that creates). */
export type OtherSuccess = {
  readonly status: 200;
  readonly schema: z.ZodType;
  readonly description: string;
};

/**
 * What an operator must be to call an operation: anyone who is signed in, a member who reads (`viewer`), one who manages
 * (`admin`), or an `owner`. The handler decides by way of the project's access; a test calls every operation as each.
 */
type LeastRole = 'anyone' | 'viewer' | 'admin' | 'owner';

/** Nobody adds an operation for operators without deciding who may call it. */
type RoleDecision<Kinds extends readonly PrincipalKind[]> = 'operator' extends Kinds[number]
  ? { readonly leastRole: LeastRole }
  : { readonly leastRole?: undefined };

/** Nor one for API keys without deciding which of them may call it. */
type ScopeDecision<Kinds extends readonly PrincipalKind[]> = 'api_key' extends Kinds[number]
  ? { readonly keyScope: KeyScopeDecision }
  : { readonly keyScope?: undefined };

type Words = {
  /** Unique, camelCase: the name of the operation in generated clients. */
  readonly operationId: string;
  readonly method: EndpointMethod;
  /** Relative to /v1, with `{name}` for parameters: `/projects/{projectId}/api-keys`. */
  readonly path: string;
  readonly summary: string;
  readonly description?: string;
  readonly tag: ApiTag;
  /** Of an operation that goes away; its answers say so. */
  readonly deprecated?: Deprecation;
  readonly errors?: readonly ErrorCode[];
  /** A body in YAML is taken as well: as text it is this member of the body, and the only one. */
  readonly yamlMember?: string;
  /** The largest body that is read, 64 KiB where left out. */
  readonly bodyBytesMax?: number;
  /** Per kind of principal that may not call: another error than `forbidden_principal`. */
  readonly refusals?: Readonly<Partial<Record<PrincipalKind, PrincipalRefusal>>>;
  readonly requestExample?: unknown;
  /** An example of the success body for the documentation. */
  readonly responseExample?: unknown;
  /** Of a POST that changes no row: any other one is tested to change something, once for all repeats. */
  readonly changesNothing?: true;
};

type EndpointDeclaration<
  Kinds extends readonly PrincipalKind[],
  Params extends StrictObject,
  Query extends StrictObject,
  Body extends z.ZodType,
  Output extends z.ZodType,
> = Words &
  RoleDecision<Kinds> &
  ScopeDecision<Kinds> & {
    /** Who may call; empty when the operation needs no credentials. */
    readonly principals: Kinds;
    readonly params?: Params;
    readonly query?: Query;
    readonly body?: Body;
    /** An example of the request body for the documentation. */
    readonly requestExample?: z.input<Body>;
    readonly success: {
      readonly status: 200 | 201 | 202 | 204;
      readonly schema?: Output;
      readonly description: string;
      /** Of a reply in another form than JSON; beside `schema`, of one that the caller may ask for by `Accept`. */
      readonly mediaTypes?: readonly string[];
    };
    readonly otherSuccess?: OtherSuccess;
    handler(input: {
      readonly params: z.output<Params>;
      readonly query: z.output<Query>;
      readonly body: z.output<Body>;
      readonly principal: PrincipalOf<Kinds>;
      readonly request: Request;
      readonly requestId: string;
      readonly commitReply: CommitReply;
    }): Promise<EndpointReply<z.input<Output>>>;
  };

/** Input of a handler once the types of its schemas are forgotten. */
export type ParsedInput = {
  readonly params: unknown;
  readonly query: unknown;
  readonly body: unknown;
  readonly principal: Principal | undefined;
  readonly request: Request;
  readonly requestId: string;
};

type HandlerInput = ParsedInput & { readonly commitReply: CommitReply };

/** One operation of the management API: what it checks, who may call it, how it is documented, what it does. */
export type Endpoint = Words & {
  /** Undefined where operators have no part. */
  readonly leastRole?: LeastRole | undefined;
  /** Undefined where API keys have no part. */
  readonly keyScope?: KeyScopeDecision | undefined;
  readonly principals: readonly PrincipalKind[];
  /** Undefined where the operation takes none. */
  readonly params?: StrictObject;
  readonly query?: StrictObject;
  readonly body?: z.ZodType;
  readonly bodyBytesMax: number;
  readonly success: {
    readonly status: number;
    readonly schema?: z.ZodType;
    readonly description: string;
    readonly mediaTypes?: readonly string[];
  };
  readonly otherSuccess?: OtherSuccess;
  handler(input: HandlerInput): Promise<EndpointReply<unknown>>;
};

type ErasedDeclaration = Omit<Endpoint, 'bodyBytesMax'> & { readonly bodyBytesMax?: number };

/**
 * Declares an operation. One declaration validates the request, types the handler, cuts the reply down to declared
 * fields, and yields the OpenAPI document.
 *
 * Requests refuse unknown members: schemas of requests are `z.strictObject` at every level (a test walks them all).
 * `params` that do not parse are answered like a thing that does not exist: with the one 404 code among `errors`, else
 * `not_found`.
 */
export function endpoint<
  const Kinds extends readonly PrincipalKind[],
  Params extends StrictObject = NoMembers,
  Query extends StrictObject = NoMembers,
  Body extends z.ZodType = NoMembers,
  Output extends z.ZodType = z.ZodUndefined,
>(declaration: EndpointDeclaration<Kinds, Params, Query, Body, Output>): Endpoint;
export function endpoint(declaration: ErasedDeclaration): Endpoint {
  return { ...declaration, bodyBytesMax: declaration.bodyBytesMax ?? BODY_BYTES_MAX };
}

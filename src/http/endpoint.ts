import type { Request } from 'express';
import { z } from 'zod';
import type { Db } from '../platform/postgres/database.ts';
import type { ErrorCode } from './errors.ts';
import type { Principal, PrincipalKind, PrincipalOf } from './principal.ts';
import { refuseUnknownMembers } from './strict-schema.ts';

export { createApiRouter } from './api-router.ts';

type NoMembers = z.ZodObject<Record<never, never>, z.core.$strict>;

export type EndpointMethod = 'get' | 'post' | 'patch' | 'delete';

/** What a caller of the wrong kind is told instead of `forbidden_principal`. */
export type PrincipalRefusal = { readonly code: ErrorCode; readonly detail?: string };

/** What a handler gives back; `body` is cut down to the success schema. */
export type EndpointReply<Output> = {
  readonly body?: Output;
  /** Instead of `body`: the same as JSON text, where a handler keeps parts of it that `declaredBody` has made. */
  readonly bodyText?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly etag?: string | undefined;
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

type Words = {
  /** Unique, camelCase: the name of the operation in generated clients. */
  readonly operationId: string;
  readonly method: EndpointMethod;
  /** Relative to /v1, with `{name}` for parameters: `/projects/{projectId}/api-keys`. */
  readonly path: string;
  readonly summary: string;
  readonly description?: string;
  readonly tag: string;
  readonly errors?: readonly ErrorCode[];
  /** Per kind of principal that may not call: another error than `forbidden_principal`. */
  readonly refusals?: Readonly<Partial<Record<PrincipalKind, PrincipalRefusal>>>;
  /** An example of the request body for the documentation. */
  readonly requestExample?: unknown;
  /** An example of the success body for the documentation. */
  readonly responseExample?: unknown;
};

export type EndpointDeclaration<
  Kinds extends readonly PrincipalKind[],
  Params extends z.ZodObject,
  Query extends z.ZodObject,
  Body extends z.ZodType,
  Output extends z.ZodType,
> = Words & {
  /** Who may call; empty when nobody needs credentials. */
  readonly principals: Kinds;
  readonly params?: Params;
  readonly query?: Query;
  readonly body?: Body;
  readonly success: {
    readonly status: 200 | 201 | 202 | 204;
    readonly schema?: Output;
    readonly description: string;
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

export type HandlerInput = ParsedInput & { readonly commitReply: CommitReply };

type ErasedDeclaration = Words & {
  readonly principals: readonly PrincipalKind[];
  readonly params?: z.ZodObject;
  readonly query?: z.ZodObject;
  readonly body?: z.ZodType;
  readonly success: Endpoint['success'];
  readonly otherSuccess?: OtherSuccess;
  handler(input: HandlerInput): Promise<EndpointReply<unknown>>;
};

/** One operation of the management API: what it checks, who may call it, how it is documented, what it does. */
export type Endpoint = Words & {
  readonly principals: readonly PrincipalKind[];
  /** As declared, for the documentation; undefined where the operation takes none. */
  readonly declared: {
    readonly params: z.ZodObject | undefined;
    readonly query: z.ZodObject | undefined;
    readonly body: z.ZodType | undefined;
  };
  /** What requests are parsed with: the declared schemas, refusing unknown members everywhere. */
  readonly accepted: {
    readonly params: z.core.$ZodType;
    readonly query: z.core.$ZodType;
    readonly body: z.core.$ZodType;
  };
  readonly success: { readonly status: number; readonly schema?: z.ZodType; readonly description: string };
  readonly otherSuccess?: OtherSuccess;
  handler(input: HandlerInput): Promise<EndpointReply<unknown>>;
};

const nothing = z.strictObject({});

/**
 * Declares an operation. One declaration validates the request, types the handler, cuts the reply down to declared
 * fields, and yields the OpenAPI document.
 *
 * Requests refuse unknown members even where a schema forgets to say so. `params` that do not parse are answered
 * like a thing that does not exist: with the one 404 code among `errors`, else `not_found`.
 */
export function endpoint<
  const Kinds extends readonly PrincipalKind[],
  Params extends z.ZodObject = NoMembers,
  Query extends z.ZodObject = NoMembers,
  Body extends z.ZodType = NoMembers,
  Output extends z.ZodType = z.ZodUndefined,
>(declaration: EndpointDeclaration<Kinds, Params, Query, Body, Output>): Endpoint;
export function endpoint(declaration: ErasedDeclaration): Endpoint {
  const { params, query, body, ...rest } = declaration;
  return {
    ...rest,
    declared: { params, query, body },
    accepted: {
      params: refuseUnknownMembers(params ?? nothing),
      query: refuseUnknownMembers(query ?? nothing),
      body: refuseUnknownMembers(body ?? nothing),
    },
  };
}

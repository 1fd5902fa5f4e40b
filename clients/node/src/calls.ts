import type { paths } from './api.ts';

export type Method = 'get' | 'post' | 'patch' | 'delete';

/** The paths that take this method. */
export type PathOf<M extends Method> = {
  [P in keyof paths]: [paths[P][M]] extends [never | undefined] ? never : P;
}[keyof paths];

export type Operation<M extends Method, P extends PathOf<M>> = NonNullable<paths[P][M]>;

/** The parts of a call, under the names that the OpenAPI document gives them. */
export type CallOptions<O> = ParametersOf<O> & BodyOf<O> & { readonly signal?: AbortSignal };

/** Left out altogether where nothing is required. */
export type CallArguments<O> =
  object extends CallOptions<O> ? [options?: CallOptions<O>] : [options: CallOptions<O>];

type ParametersOf<O> = O extends { parameters: infer P }
  ? Pick<P, keyof P & ('path' | 'query' | 'header')>
  : never;

type BodyOf<O> = O extends { requestBody: Json<infer B> }
  ? { readonly body: B }
  : O extends { requestBody?: Json<infer B> }
    ? { readonly body?: B }
    : { readonly body?: never };

type Json<B> = { content: { 'application/json': B } };

/** What a success brings: the JSON of the answer, else its text, or undefined where it has none. */
export type ResultOf<O> = O extends { responses: infer R }
  ? { [S in keyof R]: BodyOfAnswer<R[S]> }[keyof R]
  : never;

type BodyOfAnswer<A> =
  A extends Json<infer B> ? B : A extends { content: infer Content } ? Content[keyof Content] : undefined;

/** The lists: what they answer has a cursor and one array. */
export type ListPath = {
  [P in PathOf<'get'>]: ResultOf<Operation<'get', P>> extends { nextCursor: string | null } ? P : never;
}[PathOf<'get'>];

export type ItemOf<L> = { [K in keyof L]: L[K] extends readonly (infer T)[] ? T : never }[keyof L];

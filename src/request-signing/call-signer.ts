/** One request as it would go out but for its signature. */
export type UnsignedRequest = {
  readonly method: string;
  /** `scheme://host[:port]` of the address. */
  readonly origin: string;
  /** What the `Host` field holds. */
  readonly host: string;
  /** Path and query, byte for byte as they are sent. */
  readonly target: string;
  /** Names and values in turn, in wire order; a signer's own fields among them are replaced. */
  readonly fields: readonly string[];
  /** The further API host that is called, by its name in the catalog. */
  readonly hostName: string | undefined;
  /** The whole body where `bodyUse` asked for it; undefined where there is none or it streams. */
  readonly body: Buffer | undefined;
  /** Of credential and variables, by the names in the catalog's templates. */
  readonly values: Readonly<Record<string, string>>;
  readonly nowMs: number;
};

export type SignedRequest = { readonly target: string; readonly fields: string[] };

export type BodyQuestion = {
  readonly fields: readonly string[];
  /** `Content-Length` in bytes; undefined for a chunked body. */
  readonly announcedBytes: number | undefined;
};

/** Signs the calls of one provider, each attempt again, at once and without a promise. */
export type CallSigner = {
  /** The longest body that is held for its signature, in bytes. */
  readonly bodyBytesMax: number;
  /**
   * Whether the signature covers the body of this request (`whole`: it must be here first) or lets it stream. Throws
   * `body_too_large_to_sign` and `signed_body_not_supported`.
   */
  bodyUse(question: BodyQuestion): 'whole' | 'streams';
  /** Throws `integration_misconfigured` where a value is missing, `invalid_path` for an address that no signature fits. */
  sign(request: UnsignedRequest): SignedRequest;
};

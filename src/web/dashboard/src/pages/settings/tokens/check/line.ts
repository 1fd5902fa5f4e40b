/** What is said of one part of a token; `code` chooses the words, which take the rest. */
export type Line = {
  readonly name: LineName;
  readonly state: 'good' | 'bad' | 'info';
  readonly code: LineCode;
  readonly value?: string;
  readonly seconds?: number;
};

type LineName =
  | 'token'
  | 'header'
  | 'kid'
  | 'alg'
  | 'signature'
  | 'iss'
  | 'aud'
  | 'sub'
  | 'org'
  | 'exp'
  | 'iat'
  | 'nbf'
  | 'claims';

export type LineCode =
  | 'formEmpty'
  | 'formKey'
  | 'formEncrypted'
  | 'formNone'
  | 'headerGood'
  | 'headerLong'
  | 'headerParameters'
  | 'headerType'
  | 'kidGood'
  | 'kidMissing'
  | 'kidText'
  | 'kidUnknown'
  | 'algGood'
  | 'algAlone'
  | 'algRefused'
  | 'algOther'
  | 'signatureGood'
  | 'signatureBad'
  | 'signatureNoKey'
  | 'signatureNoTls'
  | 'issAny'
  | 'issGood'
  | 'issOther'
  | 'audGood'
  | 'audMissing'
  | 'audOther'
  | 'orgGood'
  | 'orgText'
  | 'subGood'
  | 'subMissing'
  | 'subType'
  | 'subText'
  | 'subReserved'
  | 'dateType'
  | 'expGood'
  | 'expMissing'
  | 'expMilliseconds'
  | 'expLong'
  | 'expPast'
  | 'iatMissing'
  | 'iatAhead'
  | 'nbfMissing'
  | 'nbfAhead'
  | 'beginGood'
  | 'beginSkew'
  | 'others';

import type { RecordActivity } from '../../activity/record.ts';
import type { Db } from '../../platform/postgres/database.ts';
import type { IdentitiesStore, Identity } from '../accounts/identities.store.ts';
import type { OperatorsStore } from '../accounts/operators.store.ts';
import type { VerifyAddress } from '../own-account/verify-address.ts';
import type { BrowserRequest, BrowserSessions } from '../sessions/browser-sessions.ts';
import type { SealedCookie } from '../sessions/sealed-cookies.ts';
import type { Person } from './identity-provider.ts';

/** Why a single sign-on ended without a session; the sign-in page explains each. */
type SingleSignOnRefusal =
  | 'not_set_up'
  | 'email_unverified'
  | 'domain_not_allowed'
  | 'single_sign_on_link_needed';

type SingleSignOnOutcome =
  | { readonly refusal: SingleSignOnRefusal; readonly cookies: readonly string[] }
  | { readonly refusal: undefined; readonly cookies: readonly string[] };

export type SingleSignOn = ReturnType<typeof createSingleSignOn>;

const NAME_LENGTH_MAX = 100;

/**
 * Which operator a person is whom the identity provider has signed in. Its account is known by issuer and subject. One
 * whose e-mail address an operator has is linked only after that operator has signed in with the password in this
 * browser, since an address can change hands. A newcomer of an allowed domain becomes an operator.
 */
export function createSingleSignOn(deps: {
  db: Db;
  operators: OperatorsStore;
  identities: IdentitiesStore;
  browserSessions: BrowserSessions;
  recordActivity: RecordActivity;
  verifyAddress: VerifyAddress;
  /** Holds the account while its operator signs in with the password. */
  links: SealedCookie<Identity>;
  /** In lower case. Where there are some, every address must be of one of them. */
  allowedDomains: readonly string[];
  /** Makes a newcomer a member of what the configuration says. */
  welcome(trx: Db, operator: { id: string; email: string }, sourceAddress: string | undefined): Promise<void>;
}) {
  const { db, operators, identities, browserSessions, links, allowedDomains } = deps;

  async function enter(trx: Db, operatorId: string, request: BrowserRequest): Promise<SingleSignOnOutcome> {
    const { cookies } = await browserSessions.begin(trx, operatorId, request, {
      method: 'single_sign_on',
      secondFactor: false,
    });
    return { refusal: undefined, cookies };
  }

  async function linkTo(trx: Db, operatorId: string, identity: Identity, sourceAddress: string | undefined) {
    if (!(await identities.insert(trx, identity, operatorId))) return;
    await deps.recordActivity(trx, {
      projectId: null,
      actor: { kind: 'operator', operatorId, sourceAddress },
      action: 'operator.single_sign_on_linked',
      subjectId: operatorId,
      details: { issuer: identity.issuer },
    });
  }

  async function createOperator(
    trx: Db,
    person: Person & { email: string },
    request: BrowserRequest,
  ): Promise<SingleSignOnOutcome> {
    const name = person.name
      ?.replaceAll(/\p{Cc}/gu, '')
      .toWellFormed()
      .trim()
      .slice(0, NAME_LENGTH_MAX);
    const operator = await operators.insert(trx, {
      email: person.email,
      passwordHash: null,
      name: name || null,
      isEmailVerified: true,
    });
    // The same person came back twice at once, or another person has made an account of the address.
    if (operator === undefined) return enterAs(trx, person, request);
    await deps.recordActivity(trx, {
      projectId: null,
      actor: { kind: 'operator', operatorId: operator.id, sourceAddress: request.ip },
      action: 'operator.created',
      subjectId: operator.id,
      details: { email: operator.email },
    });
    await linkTo(trx, operator.id, person, request.ip);
    await deps.welcome(trx, operator, request.ip);
    return enter(trx, operator.id, request);
  }

  /** A person whose account at the identity provider is new here. */
  async function enterAsNew(trx: Db, person: Person, request: BrowserRequest): Promise<SingleSignOnOutcome> {
    const { email } = person;
    if (!(await operators.isAnyone(trx))) return refuse('not_set_up');
    const operator = await operators.findByEmail(trx, email ?? '');
    if (operator) {
      const { issuer, subject } = person;
      return refuse('single_sign_on_link_needed', [links.make({ issuer, subject }, operator.id)]);
    }
    if (email === undefined || allowedDomains.length === 0) return refuse('domain_not_allowed');
    return createOperator(trx, { ...person, email }, request);
  }

  async function enterAs(trx: Db, person: Person, request: BrowserRequest): Promise<SingleSignOnOutcome> {
    const known = await identities.findOperatorId(trx, person);
    return known === undefined ? enterAsNew(trx, person, request) : enter(trx, known, request);
  }

  return {
    /** Signs the browser in, or says why not. */
    async enter(person: Person, request: BrowserRequest): Promise<SingleSignOnOutcome> {
      const { email, isEmailVerified } = person;
      if (email === undefined || !isEmailVerified) return refuse('email_unverified');
      const domain = email.slice(email.lastIndexOf('@') + 1).toLowerCase();
      if (allowedDomains.length > 0 && !allowedDomains.includes(domain)) return refuse('domain_not_allowed');
      return db.transaction((trx) => enterAs(trx, person, request));
    },

    /** Links the account that waits in this browser to the operator who has just proved the password. */
    async linkWaiting(trx: Db, operatorId: string, request: BrowserRequest): Promise<void> {
      const waiting = links.read(request, operatorId);
      if (waiting === undefined) return;
      // The identity provider has verified the same address. Another person may know the password of before.
      const actor = { kind: 'operator', operatorId, sourceAddress: request.ip } as const;
      await deps.verifyAddress(trx, operatorId, { by: 'single_sign_on', actor, passwordHash: null });
      await linkTo(trx, operatorId, waiting, request.ip);
    },
  };
}

function refuse(refusal: SingleSignOnRefusal, cookies: readonly string[] = []): SingleSignOnOutcome {
  return { refusal, cookies };
}

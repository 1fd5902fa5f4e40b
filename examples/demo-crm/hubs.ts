/** An account of the CRM, in HubSpot's word a hub: contacts belong to it, and apps are installed into it. */
export type Hub = { readonly id: number; readonly domain: string; readonly name: string };

/** A person who signs in to the CRM. Every one has the same password, which the sign-in page shows. */
export type CrmUser = {
  readonly id: number;
  readonly email: string;
  readonly name: string;
  readonly hub: Hub;
};

export const DEMO_PASSWORD = 'demo';

const northwind: Hub = { id: 48_100_271, domain: 'northwind.test', name: 'Northwind Traders' };
const contoso: Hub = { id: 48_233_904, domain: 'contoso.test', name: 'Contoso' };

export const HUBS: readonly Hub[] = [northwind, contoso];

/** Two people of one hub and one of another, so that every mix of users and accounts can be tried. */
export const CRM_USERS: readonly CrmUser[] = [
  { id: 7_310_042, email: 'ada@northwind.test', name: 'Ada Okafor', hub: northwind },
  { id: 7_310_117, email: 'ben@northwind.test', name: 'Ben Lindqvist', hub: northwind },
  { id: 7_422_580, email: 'carol@contoso.test', name: 'Carol Mendes', hub: contoso },
];

export function findUserById(id: string): CrmUser | undefined {
  return CRM_USERS.find((user) => String(user.id) === id);
}

/** The user with this e-mail address (any case) if the password is right, otherwise undefined. */
export function findUserByPassword(email: string, password: string): CrmUser | undefined {
  if (password !== DEMO_PASSWORD) return undefined;
  return CRM_USERS.find((user) => user.email === email.trim().toLowerCase());
}

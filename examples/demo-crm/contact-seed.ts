import type { Contact, ContactProperties } from './contact-book.ts';
import { LEAD_STATUSES, LIFECYCLE_STAGES } from './contact-properties.ts';

const FIRST_NAMES = (
  'Aaliyah Abel Ada Adriana Aiko Alejandro Alice Amara Amir Ana Anders Aroha Astrid Ayesha Beatriz Benjamin Björn ' +
  'Camille Carlos Chiara Chinedu Chloé Daniel Daria David Diego Dmitri Eilidh Elena Elif Emeka Emma Erik Esther ' +
  'Fatima Felix Fiona Freya Gabriel Grace Hana Hannah Hassan Helena Hiroshi Ines Ingrid Isaac Isabel Ivan Jakub ' +
  'Jasmine Javier Jin Joana José Julia Kai Kamala Karim Katarzyna Kofi Lars Laura Leila Leonardo Lina Lucas Luis ' +
  'Maja Malik Marco Maria Mateo Mei Mia Miguel Mina Mohammed Nadia Naomi Nia Nikolai Noah Nora Olga Oliver Omar ' +
  'Paul Priya Quentin Rachel Rafael Rania Ravi Rosa Ruth Samuel Sara Sean Sofia Soren Tamar Thabo Thomas Uma ' +
  'Valentina Victor Wanjiru Wei William Xavier Yara Yuki Yusuf Zainab Zoë'
).split(' ');

const LAST_NAMES = (
  'Abara Adeyemi Ahmed Almeida Andersen Bianchi Bauer Bergström Bose Brennan Brown Carvalho Castillo Chang Chen ' +
  'Cohen Costa Dahl Davies Dubois Duarte Eriksen Evans Fernández Fischer Fraser Fujita García Goldberg Gómez Gupta ' +
  'Haddad Hansen Hassan Hernández Hoffmann Hughes Ibrahim Ito Ivanova Jansen Jensen Johansson Jones Kaplan Kim ' +
  'Kowalski Kumar Lambert Larsen Laurent Lee Lehtonen Lindberg López MacLeod Mbeki Mendes Meyer Moreau Morgan ' +
  'Moretti Mwangi Nakamura Nguyen Nielsen Novák Nowak Nwosu Oliveira Olsen Ortega Osei Park Patel Pereira Petrov ' +
  'Pham Popescu Quinn Rahman Ramos Reid Ricci Rivera Rojas Romero Rossi Santos Sato Schmidt Schneider Sharma Silva ' +
  'Singh Smith Sokolov Suzuki Takahashi Tan Taylor Torres Tran Usman Vargas Virtanen Wagner Walker Wang Weber ' +
  'Williams Wójcik Wong Yamamoto Yılmaz Young Zhang Zimmermann'
).split(' ');

const COMPANY_STEMS = (
  'Alder Amber Anchor Arbor Aurora Basalt Beacon Birch Cedar Cinder Clover Cobalt Copper Coral Crescent Delta Ember ' +
  'Falcon Fern Flint Garnet Granite Harbor Hazel Heron Indigo Juniper Lantern Laurel Linden Lumen Maple Meridian ' +
  'Mosaic Nimbus Onyx Orchard Osprey Pebble Pioneer Quarry Raven Rowan Saffron Sequoia Sierra Slate Sparrow Summit ' +
  'Thistle Tidal Umber Vertex Willow Zephyr'
).split(' ');
const COMPANY_KINDS =
  'Analytics Bakery Consulting Energy Foods Freight Health Labs Logistics Media Partners Software Studio Textiles'.split(
    ' ',
  );
export const JOB_TITLES: readonly string[] = [
  'Account Manager',
  'Buyer',
  'Chief Operating Officer',
  'Customer Success Manager',
  'Data Analyst',
  'Engineer',
  'Finance Director',
  'Founder',
  'Head of Marketing',
  'IT Administrator',
  'Office Manager',
  'Operations Lead',
  'Product Manager',
  'Project Coordinator',
  'Sales Director',
  'Support Specialist',
];
const PLACES = [
  ['Amsterdam', 'Netherlands', '31'],
  ['Austin', 'United States', '1'],
  ['Berlin', 'Germany', '49'],
  ['Bogotá', 'Colombia', '57'],
  ['Cape Town', 'South Africa', '27'],
  ['Dublin', 'Ireland', '353'],
  ['Hamburg', 'Germany', '49'],
  ['Istanbul', 'Türkiye', '90'],
  ['Kraków', 'Poland', '48'],
  ['Lagos', 'Nigeria', '234'],
  ['Lisbon', 'Portugal', '351'],
  ['Lyon', 'France', '33'],
  ['Melbourne', 'Australia', '61'],
  ['Milan', 'Italy', '39'],
  ['Nairobi', 'Kenya', '254'],
  ['Osaka', 'Japan', '81'],
  ['Pune', 'India', '91'],
  ['Recife', 'Brazil', '55'],
  ['Seattle', 'United States', '1'],
  ['Toronto', 'Canada', '1'],
] as const;

/** Creation dates fall into the year after this time, one contact after another. */
const FIRST_CREATED_MS = Date.UTC(2024, 8, 2, 7);
const CREATED_SPAN_MS = 365 * 24 * 60 * 60 * 1000;
const MODIFIED_WITHIN_MS = 60 * 24 * 60 * 60 * 1000;
const FIRST_ID = 90_000_000_001;

/** Believable contacts of one hub: the same for the same arguments, with unique e-mail addresses and rising ids. */
export function seedContacts(hubId: number, count: number): Contact[] {
  const random = createRandom(hubId);
  return Array.from({ length: count }, (_, index) => seedContact(random, index, count));
}

function seedContact(random: () => number, index: number, count: number): Contact {
  const properties = inventProperties(random, index + 1);
  const createdAt = new Date(FIRST_CREATED_MS + Math.floor((index / count) * CREATED_SPAN_MS));
  const updatedAt = new Date(createdAt.getTime() + Math.floor(random() * MODIFIED_WITHIN_MS));
  return {
    id: FIRST_ID + index,
    createdAt,
    updatedAt,
    archivedAt: null,
    properties,
  };
}

/** A believable person. The number keeps addresses apart where two people share a name and an employer. */
export function inventProperties(random: () => number, number: number): ContactProperties {
  const firstname = pick(random, FIRST_NAMES);
  const lastname = pick(random, LAST_NAMES);
  const stem = pick(random, COMPANY_STEMS);
  const kind = pick(random, COMPANY_KINDS);
  const [city, country, dialCode] = pick(random, PLACES);
  const domain = `${stem}-${kind}.test`.toLowerCase();
  return {
    email: `${toAscii(firstname)}.${toAscii(lastname)}${number}@${domain}`,
    firstname,
    lastname,
    phone: `+${dialCode} 555 ${String(Math.floor(random() * 10_000_000)).padStart(7, '0')}`,
    company: `${stem} ${kind}`,
    website: `https://www.${domain}`,
    jobtitle: pick(random, JOB_TITLES),
    city,
    country,
    lifecyclestage: pick(random, LIFECYCLE_STAGES),
    hs_lead_status: pick(random, LEAD_STATUSES),
    annualrevenue: String(Math.floor(random() * 400) * 25_000),
  };
}

function pick<Item>(random: () => number, items: readonly Item[]): Item {
  const item = items[Math.floor(random() * items.length)];
  if (item === undefined) throw new Error('Nothing to pick from');
  return item;
}

/** Letters without a decomposition (ı, ø) lose nothing but their look: an address only has to be readable. */
function toAscii(name: string): string {
  return name
    .normalize('NFD')
    .replace(/ı/g, 'i')
    .replace(/[^A-Za-z]/g, '')
    .toLowerCase();
}

/** A linear congruential generator modulo 2^32 (constants of Numerical Recipes), giving numbers in [0, 1). */
function createRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

import fc from 'fast-check';
import { isInRanges, normalizeRange } from '../../src/lib/address-ranges.ts';

describe('a range of addresses', () => {
  it.each([
    ['192.0.2.0/24', '192.0.2.0/24'],
    ['10.1.2.3/8', '10.0.0.0/8'],
    ['10.1.2.255/25', '10.1.2.128/25'],
    ['192.0.2.7', '192.0.2.7/32'],
    ['192.0.2.7/0', '0.0.0.0/0'],
    ['2001:DB8:0:0::1', '2001:db8::1/128'],
    ['2001:db8:ffff::/33', '2001:db8:8000::/33'],
    ['2001:db8::1/0', '::/0'],
    ['::ffff:10.1.2.3', '10.1.2.3/32'],
    ['::ffff:10.1.2.3/104', '10.0.0.0/8'],
    ['::FFFF:0a01:0203/128', '10.1.2.3/32'],
    ['::ffff:0.0.0.0/96', '0.0.0.0/0'],
    ['64:ff9b::192.0.2.1/96', '64:ff9b::/96'],
  ])('%s is written %s', (text, normalized) => {
    expect(normalizeRange(text)).toBe(normalized);
    expect(normalizeRange(normalized)).toBe(normalized);
  });

  it.each([
    ...[
      '',
      '/',
      '/8',
      '10.0.0.0/',
      '10.0.0.0/33',
      '10.0.0.0/-1',
      '10.0.0.0/08',
      '10.0.0.0/8.0',
      '10.0.0.0/8/8',
    ],
    ...['10', '10/8', '10.0/8', '010.0.0.1', '0x0a.0.0.1', '10.0.0.256', '10.0.0.1 ', 'localhost', '*'],
    ...[
      '::/129',
      '::1%eth0',
      'fe80::%1/64',
      '[::1]',
      '::ffff:10.0.0.0/95',
      '1:2:3:4:5:6:7',
      ':::',
      '2001:db8::/1e1',
    ],
  ])('%j is none', (text) => {
    expect(normalizeRange(text)).toBeUndefined();
  });

  it('takes any text in its stride', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 60 }), (text) => {
        const normalized = normalizeRange(text);
        if (normalized !== undefined) expect(normalizeRange(normalized)).toBe(normalized);
        expect(isInRanges(text, ['192.0.2.0/24'])).toBe(/^(::ffff:)?192\.0\.2\.\d+/i.test(text));
      }),
    );
  });
});

describe('an address', () => {
  it.each([
    ['10.255.0.1', ['10.0.0.0/8'], true],
    ['11.0.0.1', ['10.0.0.0/8'], false],
    ['192.0.2.127', ['192.0.2.0/25'], true],
    ['192.0.2.128', ['192.0.2.0/25'], false],
    ['192.0.2.128', ['10.0.0.0/8', '192.0.2.128/32'], true],
    ['::ffff:10.2.3.4', ['10.0.0.0/8'], true],
    ['::ffff:0a02:0304', ['10.0.0.0/8'], true],
    ['10.2.3.4', ['::/0'], false],
    ['::ffff:10.2.3.4', ['::/0'], false],
    ['2001:db8::1', ['0.0.0.0/0'], false],
    ['2001:db8::1', ['2001:db8::/32'], true],
    ['2001:DB8:0:0:0:0:0:1', ['2001:db8::1/128'], true],
    ['2001:db9::1', ['2001:db8::/32'], false],
    ['fe80::1%eth0', ['fe80::/10'], true],
    ['unknown', ['0.0.0.0/0', '::/0'], false],
    ['', ['0.0.0.0/0', '::/0'], false],
    ['10.0.0.1, 192.0.2.1', ['10.0.0.0/8'], false],
    ['010.0.0.1', ['10.0.0.0/8', '8.0.0.0/8'], false],
    ['167772161', ['10.0.0.0/8'], false],
  ])('%s is in %j: %s', (address, ranges, isIn) => {
    expect(isInRanges(address, ranges)).toBe(isIn);
  });

  it('is in a range of its own beginning, of any length, in both families', () => {
    const ipv4 = fc.ipV4();
    const ipv6 = fc.ipV6().filter((text) => !/^(0*:){1,5}:?ffff:|^::ffff:/i.test(text));
    fc.assert(
      fc.property(fc.oneof(ipv4, ipv6), fc.nat(128), (address, bits) => {
        const range = normalizeRange(`${address}/${address.includes(':') ? bits : bits % 33}`);
        expect(range === undefined || isInRanges(address, [range])).toBe(true);
      }),
    );
  });
});

import { connectionSettings, tlsMode } from '../../../src/platform/postgres/connection.ts';

describe('connectionSettings', () => {
  it.each([
    ['postgresql://u:p@db.example.com/app', 'verify-full'],
    ['postgresql://u:p@db.example.com/app?sslmode=disable', 'off'],
    ['postgresql://u:p@db.example.com/app?sslmode=prefer', 'unverified'],
    ['postgresql://u:p@db.example.com/app?sslmode=require', 'unverified'],
    ['postgresql://u:p@db.example.com/app?sslmode=require&sslrootcert=ca.pem', 'verify-ca'],
    ['postgresql://u:p@db.example.com/app?sslmode=verify-ca', 'verify-ca'],
    ['postgresql://u:p@db.example.com/app?sslmode=verify-full', 'verify-full'],
    ['postgresql://u:p@db.example.com/app?sslmode=no-verify', 'unverified'],
    ['postgresql://u:p@db.example.com/app?ssl=true', 'verify-full'],
    ['postgresql://u:p@db.example.com/app?ssl=false', 'off'],
    ['postgresql://u:p@10.0.0.5/app', 'verify-full'],
    ['postgresql://u@localhost/app', 'off'],
    ['postgresql://u@127.0.0.1:5432/app', 'off'],
    ['postgresql://u@[::1]/app', 'off'],
    ['postgresql://u@localhost/app?sslmode=verify-full', 'verify-full'],
    ['postgresql://u@localhost.example.com/app', 'verify-full'],
    ['postgresql://u@localhost/app?host=%2Frun%2Fpostgresql&sslmode=require', 'off'],
  ])('reads the protection of %s as %s', (url, mode) => {
    const parsed = new URL(url);
    expect(tlsMode(parsed.searchParams.get('host') ?? parsed.hostname, parsed.searchParams)).toBe(mode);
  });

  it('verifies chain and name on remote hosts, and neither where the URL says sslmode=require', () => {
    expect(connectionSettings('postgresql://u:p@db.example.com/app').ssl).toEqual({
      rejectUnauthorized: true,
    });
    const unverified = connectionSettings('postgresql://u:p@db.example.com/app?sslmode=require');
    expect(unverified.ssl).toEqual({ rejectUnauthorized: false });
    expect(unverified.connectionString).not.toContain('ssl');
  });

  it.each(['secret-not-a-url', 'mysql://u:secret@host/app', 'postgresql://u:secret@h/app?sslmode=strict'])(
    'refuses %s without quoting its password',
    (url) => {
      expect(() => connectionSettings(url)).toThrow(/Postgres URL/);
      expect(() => connectionSettings(url)).not.toThrow(/secret/);
    },
  );
});

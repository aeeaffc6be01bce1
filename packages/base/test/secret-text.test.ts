import { describe, expect, it } from 'vitest';
import { looksSecret, maskSecrets, shownAddress } from '../src/text/secret-text.ts';

const pem = (kind: string) =>
  `-----BEGIN ${kind}PRIVATE KEY-----\nMIIEv\nQIBAD\n-----END ${kind}PRIVATE KEY-----`;

describe('a secret of a known form', () => {
  it.each([
    'sk-ant-api03-abcdefghij-klmnop_qrst',
    'sk-proj-abcdefghijklmnopqrst',
    'ghp_abcdefghijklmnopqrstuvwxyz0123456789',
    'github_pat_11ABCDEFG0abcdefghijkl',
    'glpat-abcdefghijklmnopqrst',
    'AKIAIOSFODNN7EXAMPLE',
    'xoxb-123456789012-abcdefghijkl',
    'AIzaSyA-abcdefghijklmnopqrstuvwxyz01234',
    'npm_abcdefghijklmnopqrstuvwxyz0123456789',
    'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.abc-def_ghi',
    pem(''),
    pem('RSA '),
    pem('EC '),
    pem('OPENSSH '),
    pem('ENCRYPTED '),
  ])('%s is masked wherever it stands', (secret) => {
    expect(looksSecret(secret)).toBe(true);
    expect(maskSecrets(`before ${secret} after`)).toBe('before [masked] after');
  });

  it('a private key that was cut off is masked to its end', () => {
    expect(maskSecrets('-----BEGIN RSA PRIVATE KEY-----\nMIIEv')).toBe('[masked]');
  });

  it.each([
    ['postgres://user:pass@host/db', 'postgres://[masked]@host/db'],
    ['https://token@host/x', 'https://[masked]@host/x'],
    ['redis://:pass@host', 'redis://[masked]@host'],
  ])('the credentials in %s are masked', (address, masked) => expect(maskSecrets(address)).toBe(masked));

  it.each([
    'git@github.com:owner/repo.git',
    'see https://example.com/@user/page',
    'task-sk-1',
    'AKIA',
    'the token was refused',
  ])('%s is left as it is', (text) => {
    expect(looksSecret(text)).toBe(false);
    expect(maskSecrets(text)).toBe(text);
  });
});

it('known values are masked whatever their form, short ones are left', () => {
  expect(maskSecrets('a hunter22 in abc', ['hunter22', 'abc'])).toBe('a [masked] in abc');
});

it.each([
  ['http://user:pass@127.0.0.1:9/hook?token=t#x', 'http://127.0.0.1:9/hook'],
  ['no address with https://t0ken@host', 'no address with https://[masked]@host'],
])('%s is shown as %s', (address, shown) => expect(shownAddress(address)).toBe(shown));

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { childEnvironment } from '../../src/settings/resolve/child-env.ts';

describe('F165 the environment of child processes', () => {
  it.each([
    'ANTHROPIC_API_KEY',
    'ANTHROPIC_AUTH_TOKEN',
    'ANTHROPIC_CUSTOM_HEADERS',
    'OPENAI_API_KEY',
    'GITHUB_TOKEN',
    'AWS_SECRET_ACCESS_KEY',
    'DB_PASSWORD',
    'PGPASS',
    'GOOGLE_APPLICATION_CREDENTIALS',
    'NPM_AUTH',
    'SLACK_WEBHOOK_URL',
    'SSH_AUTH_SOCK',
    'TURNWRIGHT_DB',
    'my_secret',
    'Token',
  ])('%s is absent', (name) => {
    expect(childEnvironment({ [name]: 'canary', PATH: '/bin' })).toEqual({ PATH: '/bin' });
  });

  it.each(['PATH', 'HOME', 'LANG', 'TERM', 'NODE_ENV', 'GIT_AUTHOR_NAME', 'HTTPS_PROXY'])(
    '%s passes',
    (name) => {
      expect(childEnvironment({ [name]: 'x', GONE: undefined })).toEqual({ [name]: 'x' });
    },
  );

  it.each([
    ['DATABASE_URL', 'postgres://user:canary@localhost/db'],
    ['HTTPS_PROXY', 'http://user:canary@proxy:8080'],
    ['BUILD_ACCESS', 'sk-ant-api03-abcdefghijklmnop'],
    ['SIGNING', '-----BEGIN EC PRIVATE KEY-----'],
  ])('%s is absent where its value is a secret by its form', (name, value) => {
    expect(childEnvironment({ [name]: value })).toEqual({});
    expect(childEnvironment({ [name]: value }, { allow: [name] })).toEqual({ [name]: value });
  });

  it('an allow list lets names and patterns through, but never the keys of the provider', () => {
    const parent = {
      GITHUB_TOKEN: 'a',
      NPM_TOKEN: 'b',
      ANTHROPIC_API_KEY: 'c',
      CLAUDE_CODE_OAUTH_TOKEN: 'd',
      OTHER_KEY: 'e',
    };
    expect(childEnvironment(parent, { allow: ['GITHUB_TOKEN', 'NPM_*'] })).toEqual({
      GITHUB_TOKEN: 'a',
      NPM_TOKEN: 'b',
    });
    expect(childEnvironment(parent, { allow: ['*'] })).toEqual({
      GITHUB_TOKEN: 'a',
      NPM_TOKEN: 'b',
      OTHER_KEY: 'e',
    });
  });

  it('what settings set on purpose is there, provider keys excepted', () => {
    expect(childEnvironment({ A: '1' }, { set: { A: '2', MY_TOKEN: 'x', ANTHROPIC_API_KEY: 'y' } })).toEqual({
      A: '2',
      MY_TOKEN: 'x',
    });
  });

  it('no name that speaks of a secret passes, in any case and company', () => {
    const word = fc
      .constantFrom('TOKEN', 'SECRET', 'KEY', 'PASS', 'CRED', 'AUTH')
      .chain((text) => fc.mixedCase(fc.constant(text)));
    const part = fc.string({ unit: fc.constantFrom(...'ABXYZ_09'), maxLength: 6 });
    fc.assert(
      fc.property(part, word, part, (before, secret, after) => {
        const name = `${before}_${secret}${after}`;
        expect(childEnvironment({ [name]: 'canary' })).toEqual({});
      }),
    );
  });
});

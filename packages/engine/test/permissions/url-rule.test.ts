import { expect, it } from 'vitest';
import { allowsLocalHost, matchesUrl, urlSpecifier } from '../../src/permissions/rules/url-rule.ts';

it.each([
  ['domain:127.0.0.1:80', 'http://127.0.0.1/', true],
  ['domain:localhost:3000', 'http://localhost:3000/x', true],
  ['domain:app.localhost:3000', 'http://app.localhost:3000/x', true],
  ['domain:[::1]:3000', 'http://[::1]:3000/', true],
  ['domain:localhost', 'http://localhost:3000/', false],
  ['domain:*.localhost', 'http://a.localhost/', false],
  ['domain:docs.example', 'https://docs.example/', false],
  ['domain:127.0.0.1.nip.io', 'https://127.0.0.1.nip.io/', false],
])('%s opens the local host of %s: %s', (specifier, url, opens) => {
  expect(allowsLocalHost(specifier, url)).toBe(opens);
});

it('what is offered as "always" allows what was asked about', () => {
  for (const url of ['https://a.example/x', 'http://127.0.0.1:8080/', 'http://[::1]:1/'])
    expect(matchesUrl(urlSpecifier(url) ?? '', url, true)).toBe(true);
});

it.each([
  ['domain:evil.example.', 'https://evil.example/'],
  ['domain:evil.example', 'https://a.evil.example./'],
  ['domain:bücher.example', 'https://xn--bcher-kva.example/'],
  ['domain:*.bücher.example', 'https://a.bücher.example/'],
  ['domain:2130706433', 'http://127.0.0.1/'],
  ['domain:EVIL.example', 'https://evil.EXAMPLE/'],
])('a prohibition of %s speaks of %s', (specifier, url) => {
  expect(matchesUrl(specifier, url, false)).toBe(true);
});

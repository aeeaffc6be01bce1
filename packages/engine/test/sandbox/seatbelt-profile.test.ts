import { CLOSED } from '@turnwright/test/sandbox/support.ts';
import { expect, it } from 'vitest';
import { seatbeltProfile } from '../../src/sandbox/macos/seatbelt-profile.ts';

const profile = (policy: Partial<typeof CLOSED> = {}, proxyPorts: readonly number[] = []) =>
  seatbeltProfile({
    policy: { ...CLOSED, ...policy },
    writable: [{ path: '/w "s"', isGit: false }],
    tmp: '/private/t',
    proxyPorts,
  });

it('writes go to the working folders alone, what is protected and hidden comes behind them', () => {
  const text = profile({
    hiddenPaths: ['/home/x/.claude'],
    deniedReads: [{ root: '/w', segments: ['**', '*.pem'] }],
    readable: ['/home/x/.claude/skills'],
  });
  const lines = text.split('\n');
  const at = (part: string) => lines.findIndex((line) => line.includes(part));
  expect(lines.slice(0, 2)).toEqual(['(version 1)', '(deny default)']);
  expect(text).toContain('(allow file-write* (subpath "/w \\"s\\"") (subpath "/private/t"))');
  const order = [
    '(allow file-write* (subpath',
    '(deny file-write* (regex',
    '(deny file-read* file-write* (subpath "/home/x/.claude")',
    '(allow file-read* (subpath "/home/x/.claude/skills"))',
  ].map(at);
  expect(order).toEqual([...order].sort((a, b) => a - b));
  expect(order).not.toContain(-1);
  expect(text).toContain('\\.mcp\\.json');
  expect(text).toContain('[^/]*\\.pem');
});

it('the network is closed, open, or open to the proxy', () => {
  expect(profile()).not.toContain('network');
  expect(profile({ network: { kind: 'all' } })).toContain('(allow network*)');
  expect(profile({ network: { kind: 'domains', allowed: ['x'], denied: [] } }, [4711])).toContain(
    '(allow network-outbound (remote ip "localhost:4711"))',
  );
});

it('what macOS alone knows', () => {
  const macos = { ...CLOSED.macos, machServices: ['com.x.*'], allowAppleEvents: true, unixSockets: ['/s'] };
  const text = profile({ macos });
  expect(text).toContain('(global-name-prefix "com.x.")');
  expect(text).toContain('(allow appleevent-send)');
  expect(text).toContain('(remote unix-socket (subpath "/s"))');
});

it('a folder above what is protected is neither renamed nor removed', () => {
  const text = profile({
    deniedReads: [
      { root: '/w "s"', segments: ['a', 'b', '.env'] },
      { root: '/w "s"', segments: ['c', '**', '*.pem'] },
    ],
    protectedPaths: ['/elsewhere/plugin'],
  });
  const stays = (path: string) => text.includes(`(deny file-write-unlink (literal "${path}"))`);
  expect(['/w \\"s\\"/a/b', '/w \\"s\\"/c', '/w \\"s\\"', '/elsewhere', '/w'].map(stays)).toEqual([
    ...[true, true, true],
    ...[false, false],
  ]);
  expect(text).toContain('\\.git(/info|/modules(/[^/]+)?)?$")');
});

import { describe, expect, it } from 'vitest';
import { refusedServer, type ServerPolicy } from '../../src/mcp/servers/server-policy.ts';

const isRefused = (policy: Partial<ServerPolicy>, name: string, config: unknown = {}) =>
  refusedServer(name, config, { allowed: [], denied: [], ...policy }) !== undefined;
const stdio = { command: 'npx', args: ['-y', 'server'] };
const http = { type: 'http', url: 'https://a.example.com/mcp' };

describe('which MCP servers a policy lets in', () => {
  it('without lists, all', () => expect(isRefused({}, 'a', stdio)).toBe(false));

  it('by name, by the whole command, by address', () => {
    expect(isRefused({ denied: [{ serverName: 'a' }] }, 'a')).toBe(true);
    expect(isRefused({ denied: [{ serverName: 'a' }] }, 'b')).toBe(false);
    expect(isRefused({ denied: [{ serverCommand: ['npx', '-y', 'server'] }] }, 'a', stdio)).toBe(true);
    expect(isRefused({ denied: [{ serverCommand: ['npx'] }] }, 'a', stdio)).toBe(false);
    expect(isRefused({ denied: [{ serverUrl: 'https://*.example.com/*' }] }, 'a', http)).toBe(true);
    expect(isRefused({ denied: [{ serverUrl: 'https://example.com/*' }] }, 'a', http)).toBe(false);
    expect(isRefused({ denied: [{}] }, 'a', http)).toBe(false);
  });

  it('must be on every list that allows, and deny beats allow', () => {
    const [ours, theirs] = [[{ serverName: 'a' }, { serverName: 'b' }], [{ serverName: 'b' }]];
    expect(isRefused({ allowed: [ours, theirs] }, 'a')).toBe(true);
    expect(isRefused({ allowed: [ours, theirs] }, 'b')).toBe(false);
    expect(isRefused({ allowed: [ours], denied: [{ serverName: 'a' }] }, 'a')).toBe(true);
    expect(isRefused({ allowed: [[]] }, 'a')).toBe(true);
  });
});

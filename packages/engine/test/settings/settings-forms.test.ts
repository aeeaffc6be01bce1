/**
 * Every class of settings in a form that cannot be read, from every source: what restricts stops the start,
 * what would allow or run something is passed over and named, and the rest of the file stays in force.
 */
import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { nodeFiles } from '@turnwright/base/files/node-files.ts';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { projectTrust, trustProject } from '../../src/index.ts';
import type { BaseOptions } from '../../src/options/options.ts';
import { resolveConfig } from '../../src/settings/resolve/resolve-config.ts';

let root: string;
let cwd: string;
let env: Record<string, string>;
beforeEach(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), 'turnwright-forms-')));
  cwd = join(root, 'proj');
  await mkdir(cwd);
  env = { TURNWRIGHT_HOME: join(root, 'home') };
});
afterEach(() => rm(root, { recursive: true, force: true }));

async function put(file: string, text: string) {
  const path = join(root, file);
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, text);
  return path;
}
const resolve = (options: BaseOptions) => resolveConfig({ options, env, cwd, files: nodeFiles });
const ALL = ['user', 'project', 'local'] as const;
const BY_RECORD = { settingSources: ALL, projectTrusted: false, trustRecorded: true };

const hook = (more: object, matcher: unknown = 'Bash') => ({
  hooks: { PreToolUse: [{ matcher, hooks: [{ type: 'command', command: 'true', ...more }] }] },
});

/** What would allow or run something. The second part is named, or '' when it is read after all. */
const SKIPPED: readonly (readonly [object, string])[] = [
  [{ permissions: { allow: ['Bash:*', 'Read'] } }, 'permissions.allow.0 "Bash:*" (expected a rule'],
  [{ permissions: { allow: ['Bash(git'] } }, 'permissions.allow.0 "Bash(git"'],
  [{ permissions: { allow: ['npm run build'] } }, 'permissions.allow.0 "npm run build"'],
  [{ permissions: { allow: [''] } }, 'permissions.allow.0 ""'],
  [{ permissions: { allow: [5, 'Read'] } }, 'permissions.allow.0 ('],
  [{ permissions: { allow: 'Read' } }, 'permissions.allow "Read" ('],
  [{ permissions: { defaultMode: 'allowEdits' } }, 'permissions.defaultMode: expected one of'],
  [{ permissions: { defaultMode: 5 } }, 'permissions.defaultMode ('],
  [{ permissions: { additionalDirectories: '../x' } }, 'permissions.additionalDirectories ('],
  [{ permissions: { additionalDirectories: [5] } }, 'permissions.additionalDirectories.0 ('],
  [{ hooks: { preEditHook: { command: 'true' } } }, 'hooks.preEditHook'],
  [{ hooks: { Whatever: [] } }, 'hooks.Whatever was passed over: there is no such event'],
  [{ hooks: { PostToolUse: 'true' } }, 'hooks.PostToolUse ('],
  [{ hooks: 'true' }, 'hooks ('],
  [{ hooks: { PreToolUse: [{ matcher: 'Bash', command: 'true' }] } }, 'hooks.PreToolUse.0 ('],
  [hook({}, { tool: 'Bash' }), 'hooks.PreToolUse.0 ('],
  [hook({ type: 'weird' }), 'a hook does not run: hooks.PreToolUse.0.hooks.0.type'],
  [hook({ type: 'prompt' }), 'a hook does not run: hooks.PreToolUse.0.hooks.0.prompt'],
  [hook({ type: 'agent', prompt: 5 }), 'a hook does not run: hooks.PreToolUse.0.hooks.0.prompt'],
  [hook({ command: 5 }), 'a hook does not run: hooks.PreToolUse.0.hooks.0.command'],
  [hook({ args: 'a' }), 'a hook does not run: hooks.PreToolUse.0.hooks.0.args'],
  [hook({ timeout: '10' }), 'a hook runs without what cannot be read: hooks.PreToolUse.0.hooks.0.timeout'],
  [hook({ async: 'yes' }), 'a hook runs without what cannot be read: hooks.PreToolUse.0.hooks.0.async'],
  [hook({ onFailure: 'open' }), 'a hook runs without what cannot be read'],
  [{ env: { A: { b: 1 }, C: 'd' } }, 'env.A ('],
  [{ env: 'A=1' }, 'env ('],
  [{ env: { A: 1, B: true, C: null, D: ['x'] } }, ''],
  [{ model: 5 }, 'model ('],
  [{ fallbackModel: 5 }, 'fallbackModel ('],
  [{ alwaysThinkingEnabled: 'true' }, 'alwaysThinkingEnabled ('],
  [{ enableAllProjectMcpServers: 'true' }, 'enableAllProjectMcpServers ('],
  [{ enabledMcpjsonServers: [1] }, 'enabledMcpjsonServers.0 ('],
  [{ headers: { 'X-A': 'a\r\nB: c' } }, 'headers.X-A ('],
  [{ models: { m: { contextWindow: 'big' } } }, 'models.m ('],
  [{ providers: { p: { type: 'nobody' } } }, 'providers.p ('],
  [{ autoCompactWindow: 1.5 }, 'autoCompactWindow ('],
  [{ outputStyle: 5 }, 'outputStyle ('],
  [{ skillOverrides: { a: 'maybe' } }, 'skillOverrides.a ('],
  [{ sandbox: { excludedCommands: [5] } }, 'sandbox.excludedCommands.0 ('],
  [{ sandbox: { network: { allowedDomains: ['https://x'] } } }, 'sandbox.network.allowedDomains.0 ('],
  [{ permissions: { allow: Array.from({ length: 30 }, (_, i) => i) } }, '; and 22 more.'],
];

/** What restricts, or may hide what does. */
const STOPPED: readonly (readonly [string, string])[] = [
  [JSON.stringify({ permissions: { deny: ['Bash:*'] } }), 'permissions.deny.0: expected a rule'],
  [JSON.stringify({ permissions: { deny: 'Bash' } }), 'permissions.deny: '],
  [JSON.stringify({ permissions: { ask: [5], allow: [5] } }), 'permissions.ask.0: '],
  [JSON.stringify({ permissions: { deny: ['Bash(rm'] } }), 'permissions.deny.0: '],
  [JSON.stringify({ permissions: 'deny' }), 'permissions: '],
  [JSON.stringify({ permissions: { allowedToolsOnly: 'yes' } }), 'permissions.allowedToolsOnly: '],
  [JSON.stringify({ permissions: { disableBypassPermissionsMode: true } }), 'disableBypassPermissionsMode: '],
  [JSON.stringify({ sandbox: { enabled: 'yes' } }), 'sandbox.enabled: '],
  [JSON.stringify({ sandbox: { filesystem: { denyRead: 'x' } } }), 'sandbox.filesystem.denyRead: '],
  [JSON.stringify({ deniedMcpServers: 'x' }), 'deniedMcpServers: '],
  [JSON.stringify({ disabledMcpjsonServers: [1] }), 'disabledMcpjsonServers.0: '],
  ['{"permissions": {"allow": ["Read"}', 'it is not JSON'],
  ['[]', 'the whole file: '],
  ['null', 'the whole file: '],
  ['"text"', 'the whole file: '],
  [`{"a":${'['.repeat(200_000)}`, 'nested more than 500 levels deep'],
];

const USER = { file: 'home/settings.json', options: { settingSources: ['user'] } } as const;
const NAMED = { settingSources: ['project', 'local'] } as const;
const SHARED = { file: 'proj/.claude/settings.json', options: NAMED } as const;
const LOCAL = { file: 'proj/.turnwright/settings.local.json', options: NAMED } as const;

describe.each([
  ['the user’s file', USER],
  ['a project’s file that the host names', SHARED],
  ['the local file', LOCAL],
])('%s', (_, { file, options }) => {
  it.each(SKIPPED)('%j is passed over and named, once', async (form, named) => {
    const path = await put(file, JSON.stringify({ ...form, plansDirectory: 'kept' }));
    const { warnings, notices, config } = await resolve(options);
    expect(config.plansDirectory).toBe(join(cwd, 'kept'));
    const said = notices.filter((notice) => notice.includes(path));
    if (named === '') return expect(said).toEqual([]);
    expect(said).toEqual([expect.stringContaining(named)]);
    expect(warnings).toContain(said[0]);
    return undefined;
  });

  it.each(STOPPED)('%s stops the start', async (text, problem) => {
    const path = await put(file, text);
    await expect(resolve(options)).rejects.toMatchObject({
      code: 'invalid_settings',
      message: expect.stringContaining(problem),
    });
    await expect(resolve(options)).rejects.toThrow(path);
  });

  it.each(['', ' \n\t', '\uFEFF', '// nothing yet\n', '{}'])('%j is an empty object', async (text) => {
    await put(file, text);
    expect((await resolve(options)).warnings).toEqual([]);
  });
});

describe('a project that is not trusted', () => {
  it.each(STOPPED)('%s counts as absent, and that is said', async (text, problem) => {
    await put('home/settings.json', '{"permissions":{"deny":["WebFetch"]}}');
    const path = await put('proj/.claude/settings.json', text);
    const { notices, config } = await resolve(BY_RECORD);
    expect(notices).toEqual([
      expect.stringMatching(/The file counts as absent: this folder is not trusted\.$/),
    ]);
    expect(notices[0]).toContain(path);
    expect(notices[0]).toContain(problem);
    expect(config.permissionRules).toEqual({ userSettings: { allow: [], ask: [], deny: ['WebFetch'] } });
  });

  it('stops once it is trusted', async () => {
    await put('proj/.claude/settings.json', '{"permissions":{"deny":[5]}}');
    await trustProject(await projectTrust({ cwd, env }), { cwd, env });
    await expect(resolve(BY_RECORD)).rejects.toThrow('permissions.deny.0');
    await expect(resolve({ ...BY_RECORD, projectTrusted: true })).rejects.toThrow('permissions.deny.0');
  });
});

describe('what was given by hand', () => {
  const strict = SKIPPED.filter(([, named]) => named !== '' && !/no such event|not supported/.test(named));

  it.each(strict)('%j is an error as the settings option', async (settings) => {
    await expect(resolve({ settings: settings as never })).rejects.toMatchObject({
      code: 'invalid_settings',
    });
  });

  it.each(strict)('%j is an error as --settings, and as a file of it', async (settings) => {
    const text = JSON.stringify(settings);
    await expect(resolve({ settings: text })).rejects.toMatchObject({ code: 'invalid_settings' });
    const path = await put('given.json', text);
    await expect(resolve({ settings: path })).rejects.toThrow(path);
  });

  it.each(STOPPED.filter(([text]) => text.startsWith('{')))('%s is an error too', async (text) => {
    await expect(resolve({ settings: text })).rejects.toMatchObject({ code: 'invalid_settings' });
  });
});

describe('the machine’s managed settings', () => {
  it('are read like the user’s', async () => {
    const managedSettingsFile = await put(
      'policy/managed.json',
      '{"model":5,"permissions":{"allow":["x y"]}}',
    );
    const own = { ...nodeFiles, stat: async () => ({ kind: 'file', mode: 0o644, uid: 0 }) as never };
    const of = () => resolveConfig({ options: { managedSettingsFile }, env, cwd, files: own });
    expect((await of()).notices).toEqual([
      expect.stringMatching(/managed\.json: passed over.*model .*"x y"/),
    ]);
    await put('policy/managed.json', '{"permissions":{"deny":["x y"]}}');
    await expect(of()).rejects.toThrow(managedSettingsFile);
  });
});

it('variables are read as other programs read them', async () => {
  await put('home/settings.json', '{"env":{"A":1,"B":true,"C":null,"D":1.5,"E":"e"}}');
  const { config } = await resolve({ settingSources: ['user'] });
  expect(config.childEnv).toMatchObject({ A: '1', B: 'true', C: 'null', D: '1.5', E: 'e' });
});

it('.mcp.json may have comments, commas behind a last element, and nothing in it', async () => {
  await put('proj/.mcp.json', '\uFEFF// ours\n{ "mcpServers": { "a": { "command": "x", /* y */ }, }, }\n');
  const { project } = await resolve({ settingSources: ['project'] });
  expect(project.mcpServers).toEqual({ a: { command: 'x' } });
  await put('proj/.mcp.json', '\n');
  expect(await resolve({ settingSources: ['project'] })).toMatchObject({ warnings: [] });
});

import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { nodeFiles } from '@turnwright/base/files/node-files.ts';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { BaseOptions } from '../../src/options/options.ts';
import { resolveConfig } from '../../src/settings/resolve/resolve-config.ts';

let root: string;
beforeEach(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), 'turnwright-managed-')));
});
afterEach(() => rm(root, { recursive: true }));

/** As on a machine where root owns everything. */
const owned = {
  ...nodeFiles,
  stat: async (path: string) => {
    const stat = await nodeFiles.stat(path);
    return stat && { ...stat, uid: 0, mode: stat.mode & 0o755 };
  },
};
/** The engine's configuration, with what its parts are made from beside it. */
async function resolve(options: BaseOptions, files = owned) {
  const { config, ...others } = await resolveConfig({ options, env: { HOME: root }, cwd: root, files });
  return { ...others, ...config };
}

describe('managedSettings of the program that starts us', () => {
  it('only restrictions pass', async () => {
    const config = await resolve({
      managedSettings: {
        model: 'other',
        env: { A: 'b' },
        apiKeyHelper: 'echo k',
        disableAllHooks: true,
        allowManagedHooksOnly: true,
        allowedMcpServers: [{ serverName: 'a' }],
        deniedMcpServers: [{ serverName: 'b' }],
        permissions: {
          allow: ['Bash'],
          deny: ['Read(.env)'],
          ask: ['Write'],
          defaultMode: 'acceptEdits',
          additionalDirectories: ['/data'],
          blockReadsOutsideWorkingDirectories: true,
          denyInsteadOfPrompting: true,
        },
      },
    });
    expect(config).toMatchObject({
      model: undefined,
      childEnv: { HOME: root },
      permissionMode: 'default',
      additionalDirectories: [],
      permissionRules: { policySettings: { allow: [], deny: ['Read(.env)'], ask: ['Write'] } },
      permissionLocks: { blockReadsOutside: true, blockWritesOutside: false, denyInsteadOfPrompting: true },
      hookPolicy: { managedOnly: true, allDisabled: true, disabledByPolicy: true },
      mcpServerPolicy: { allowed: [[{ serverName: 'a' }]], denied: [{ serverName: 'b' }] },
      projectServers: { enabled: undefined, disabled: [] },
      mcpToolChanges: undefined,
    });
    expect(config.childEnv).not.toHaveProperty('A');
  });

  it('a ban on bypass mode stops a run that asks for it', async () => {
    await expect(
      resolve({
        managedSettings: '{"permissions":{"disableBypassPermissionsMode":"disable"}}',
        permissionMode: 'bypassPermissions',
        allowDangerouslySkipPermissions: true,
      }),
    ).rejects.toThrow(/switched off by the managedSettings option/);
  });

  it('what cannot be read stops the run', async () => {
    await expect(resolve({ managedSettings: '{"permissions":{"deny":["("]}}' })).rejects.toMatchObject({
      code: 'invalid_settings',
    });
  });

  it('other settings cannot speak as the policy, and cannot loosen it', async () => {
    const settings = {
      allowManagedPermissionRulesOnly: true,
      allowManagedHooksOnly: true,
      allowedMcpServers: [{ serverName: 'x' }],
      permissions: { denyInsteadOfPrompting: false },
    };
    const { permissionLocks, mcpServerPolicy, hookPolicy } = await resolve({
      settings,
      managedSettings: {
        allowedMcpServers: [{ serverName: 'a' }],
        permissions: { denyInsteadOfPrompting: true },
      },
    });
    expect(permissionLocks.managedRulesOnly).toBe(false);
    expect(permissionLocks.denyInsteadOfPrompting).toBe(true);
    expect(hookPolicy.managedOnly).toBe(false);
    // A server must be on both lists.
    expect(mcpServerPolicy?.allowed).toEqual([[{ serverName: 'x' }], [{ serverName: 'a' }]]);
  });
});

describe("the machine's own file", () => {
  const put = async (text: string, mode = 0o644) => {
    const file = join(root, 'etc/managed-settings.json');
    await mkdir(join(root, 'etc'), { recursive: true });
    await writeFile(file, text, { mode });
    return file;
  };
  const allowing = JSON.stringify({
    allowManagedPermissionRulesOnly: true,
    permissions: { allow: ['Bash(ls:*)'], deny: ['Bash(rm:*)'] },
  });

  it('is heeded with its allow rules; one that does not exist is none', async () => {
    const { permissionLocks, permissionRules } = await resolve({
      managedSettingsFile: await put(allowing),
      allowedTools: ['Bash'],
    });
    expect(permissionRules.policySettings).toEqual({
      allow: ['Bash(ls:*)'],
      deny: ['Bash(rm:*)'],
      ask: [],
    });
    expect(permissionLocks.managedRulesOnly).toBe(true);
    expect((await resolve({ managedSettingsFile: join(root, 'none.json') })).warnings).toEqual([]);
  });

  it('CVE-2026-35603 T110 one that any user may write is ignored with a warning', async () => {
    const file = await put(allowing);
    const open = {
      ...owned,
      stat: async (path: string) => {
        const stat = await owned.stat(path);
        return stat && { ...stat, mode: path === file ? stat.mode : 0o777 };
      },
    };
    const foreign = {
      ...owned,
      stat: async (path: string) => {
        const stat = await owned.stat(path);
        return stat && { ...stat, uid: 1000 };
      },
    };
    for (const files of [open, foreign]) {
      const { permissionRules, warnings } = await resolve({ managedSettingsFile: file }, files);
      expect(permissionRules).toEqual({});
      expect(warnings).toEqual([expect.stringContaining(`${file} was ignored`)]);
    }
  });

  it('T109 broken JSON stops the run', async () => {
    await expect(resolve({ managedSettingsFile: await put('{') })).rejects.toMatchObject({
      code: 'invalid_settings',
    });
  });
});

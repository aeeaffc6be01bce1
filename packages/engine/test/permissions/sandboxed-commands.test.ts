/** What rules and modes make of commands where they are isolated. */

import { nodeFiles } from '@turnwright/base/files/node-files.ts';
import { describe, expect, it } from 'vitest';
import { createPermissions, type PermissionOptions } from '../../src/permissions/permission-engine.ts';
import type { CommandPlace } from '../../src/protocol/tools/isolation.ts';
import { createBashTool } from '../../src/tools/builtin/shell/bash.ts';

const bash = createBashTool();

const decide = (
  command: string,
  options: Partial<PermissionOptions> & { autoAllow?: boolean },
  leaves = false,
) => {
  const { autoAllow = true, ...rest } = options;
  const placeOf = ({
    dangerouslyDisableSandbox,
  }: {
    dangerouslyDisableSandbox?: boolean | undefined;
  }): CommandPlace => (dangerouslyDisableSandbox === true ? 'override' : 'sandbox');
  const permissions = createPermissions({
    files: nodeFiles,
    home: '/home/x',
    sandbox: { placeOf, autoAllow },
    ...rest,
  });
  const input = { command, ...(leaves && { dangerouslyDisableSandbox: true }) };
  return permissions.decide({ tool: bash, input, toolUseId: 't', cwd: '/tmp', additionalDirectories: [] });
};

describe('commands in the sandbox', () => {
  it.each([
    ['npm test', {}, 'allow'],
    ['npm test', { autoAllow: false }, 'ask'],
    ['for x in *; do sh "$x"; done', {}, 'allow'],
    ['npm publish', { deny: ['Bash(npm publish:*)'] }, 'deny'],
    ['npm publish', { ask: ['Bash(npm publish:*)'] }, 'ask'],
    ['x=publish; npm $x', { deny: ['Bash(npm publish:*)'] }, 'ask'],
    ['npm test', { mode: 'plan' }, 'deny'],
    ['npm test', { locks: { allowedToolsOnly: true } }, 'deny'],
  ] as const)('%s, %j: %s', async (command, options, kind) => {
    expect(await decide(command, options as never)).toMatchObject({ kind });
  });
});

describe('CVE-2026-42074: a call that asks to run outside', () => {
  it.each([
    ['touch x', {}, { kind: 'ask', reasonType: 'sandboxOverride' }],
    [
      'touch x',
      { mode: 'bypassPermissions', allowDangerouslySkipPermissions: true },
      { kind: 'ask', reasonType: 'sandboxOverride' },
    ],
    ['touch x', { mode: 'dontAsk' }, { kind: 'deny' }],
    ['touch x', { allow: ['Bash(touch:*)'] }, { kind: 'allow', reasonType: 'rule' }],
    ['touch x', { ask: ['Bash(touch:*)'] }, { kind: 'ask', reasonType: 'rule' }],
    ['touch x', { deny: ['Bash(touch:*)'], allow: ['Bash'] }, { kind: 'deny' }],
  ] as const)('%s, %j', async (command, options, verdict) => {
    expect(await decide(command, options as never, true)).toMatchObject(verdict);
  });
});

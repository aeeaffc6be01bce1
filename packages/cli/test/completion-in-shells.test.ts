/** The scripts of `turnwright completion` in the shells that they are for, with a Tab that a person presses. */
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { spawn } from '@lydell/node-pty';
import { temporaryFolder } from '@turnwright/test/cli/bin.ts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseArgs } from '../src/flags/args.ts';

interface Shell {
  readonly name: 'bash' | 'zsh' | 'fish';
  /** Without files of the user. */
  readonly args: readonly string[];
  /** What a person has in their own files. */
  loads(script: string): string;
}

const SHELLS: readonly Shell[] = [
  { name: 'bash', args: ['--noprofile', '--norc', '-i'], loads: (script) => `source ${script}` },
  {
    name: 'zsh',
    args: ['-f', '-i'],
    loads: (script) => `autoload -Uz compinit; compinit -u -D; source ${script}`,
  },
  { name: 'fish', args: ['--no-config', '--interactive'], loads: (script) => `source ${script}` },
];

const isThere = (name: string) => spawnSync(name, ['--version']).error === undefined;

/** The line as the shell has it after Tab. */
type Complete = (typed: string) => Promise<string>;

/** A shell with the script; a line is echoed by a command that it becomes an argument of. Ends with `end`. */
function startShell({ name, args, loads }: Shell): { readonly complete: Complete; end(): void } {
  const folder = temporaryFolder();
  const script = join(folder, 'completion');
  const invocation = parseArgs(['completion', name], 'version');
  writeFileSync(script, invocation.command === 'say' ? invocation.text : '');
  // The command that is completed says which words it was given.
  writeFileSync(join(folder, 'turnwright'), '#!/bin/sh\necho "given<$*>"\n', { mode: 0o755 });
  const env = { PATH: `${folder}:${process.env['PATH']}`, HOME: folder, TERM: 'xterm', LANG: 'C.UTF-8' };
  const shell = spawn(name, [...args], { cwd: folder, env, cols: 200, rows: 50 });
  /** Since the last match. */
  let printed = '';
  const until = (pattern: RegExp) =>
    new Promise<RegExpExecArray>((resolve) => {
      const look = () => {
        const found = pattern.exec(printed);
        if (found === null) return;
        listening.dispose();
        printed = printed.slice(found.index + found[0].length);
        resolve(found);
      };
      const listening = shell.onData(look);
      look();
    });
  shell.onData((text) => {
    printed += text;
  });
  shell.write(`${loads(script)}; echo rea""dy\r`);
  const ready = until(/ready/);
  return {
    async complete(typed) {
      await ready;
      shell.write(`turnwright ${typed}\t`);
      shell.write('\r');
      return (await until(/given<(.*?)>/))[1]?.trim() ?? '';
    },
    end: () => shell.kill('SIGKILL'),
  };
}

for (const shell of SHELLS)
  describe.skipIf(!isThere(shell.name))(`completion in ${shell.name} (needs ${shell.name} on PATH)`, () => {
    let started: ReturnType<typeof startShell>;
    beforeAll(() => {
      started = startShell(shell);
    });
    afterAll(() => started.end());

    it.each([
      ['a command', 'sess', 'sessions'],
      ['a flag of a run', '--max-t', '--max-turns'],
      ['a flag of a command', 'rehearse --se', 'rehearse --serve'],
      ['a flag of a command that others have not', 'init --lo', 'init --local'],
    ])('of %s', async (_, typed, whole) => {
      expect(await started.complete(typed)).toBe(whole);
    });
  });

import { spawnSync } from 'node:child_process';
import { expect, it } from 'vitest';
import { parseArgs } from '../src/flags/args.ts';
import { UsageError } from '../src/usage-error.ts';

function script(shell: string): string {
  const invocation = parseArgs(['completion', shell], 'version');
  return invocation.command === 'say' ? invocation.text : '';
}

/** What bash offers for the last of these words. */
function offered(...words: string[]): readonly string[] {
  const at = words.length - 1;
  const ask = `COMP_WORDS=(${words.map((word) => `'${word}'`).join(' ')}); COMP_CWORD=${at}; _turnwright; printf '%s\\n' "\${COMPREPLY[@]}"`;
  return spawnSync('bash', ['-c', `${script('bash')}\n${ask}`], { encoding: 'utf8' })
    .stdout.trim()
    .split('\n');
}

it('completes commands, flags, and the flags of a command', () => {
  expect(offered('turnwright', 'sess')).toEqual(['sessions']);
  expect(offered('turnwright', '--max-t')).toContain('--max-turns');
  expect(offered('turnwright', 'rehearse', '--se')).toEqual(['--serve']);
  expect(offered('turnwright', 'doc')).toEqual(['doctor']);
});

it.each(['zsh', 'fish'])('names every command for %s', (shell) => {
  for (const name of ['sessions', 'doctor', 'login', 'completion']) expect(script(shell)).toContain(name);
});

it('says for which shells there is completion', () => {
  expect(() => script('tcsh')).toThrow(UsageError);
  expect(() => script('tcsh')).toThrow("There is completion for bash, zsh, fish, not for 'tcsh'.");
});

/** How a person who looks elsewhere learns that the conversation waits for them. */

import { execFileSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { readBranch } from '@turnwright/base/files/git-folder.ts';
import { nodeFiles } from '@turnwright/base/files/node-files.ts';
import { temporaryFolder } from '@turnwright/test/cli/bin.ts';
import { describe, expect, test } from 'vitest';
import { startingState } from '../../src/conversation/conversation-state.ts';
import { createAttention } from '../../src/conversation/screen/attention.ts';
import { screenSettings } from '../../src/conversation/screen/screen-settings.ts';

const idle = { ...startingState(0, { cwd: '/work/app' }), phase: 'idle' as const };
const working = { ...idle, phase: 'streaming' as const };
const asking = { ...working, questions: 1 };

function watch(env: Record<string, string>, settings: Record<string, unknown> = {}) {
  const written: string[] = [];
  const attention = createAttention({
    settings: screenSettings({ terminalTitle: false, ...settings }),
    env,
    emit: (text) => written.push(text),
  });
  return { update: attention.update, written };
}

const PLAIN = ['\x1b]9;A question waits: app\x07'];
const TITLED = ['\x1b]777;notify;Turnwright;A question waits: app\x07'];

describe('a note of the desktop', () => {
  test.each<[string, Record<string, string>, string[]]>([
    ['iTerm2', { TERM_PROGRAM: 'iTerm.app' }, PLAIN],
    ['kitty', { TERM: 'xterm-kitty' }, PLAIN],
    ['WezTerm', { TERM_PROGRAM: 'WezTerm' }, PLAIN],
    ['foot', { TERM: 'foot' }, TITLED],
    ['an unknown terminal', { TERM: 'xterm-256color' }, []],
    ['tmux in one of them', { TERM: 'xterm-kitty', TMUX: '/tmp/t' }, []],
  ])('of a question, in %s', (_, env, expected) => {
    const { update, written } = watch(env);
    update(working, 0, undefined);
    update(asking, 1_000, undefined);
    expect(written).toEqual(expected);
  });

  test('comes at the end of long work, and not while the person types, nor after short work', () => {
    const { update, written } = watch({ TERM: 'xterm-kitty' });
    update(working, 0, undefined);
    update(idle, 19_000, undefined);
    update(working, 20_000, undefined);
    update(idle, 60_000, 55_000);
    expect(written).toEqual([]);
    update(working, 60_000, 55_000);
    update(idle, 90_000, 60_000);
    expect(written).toEqual(['\x1b]9;Done: app\x07']);
  });

  test('can be switched off', () => {
    const { update, written } = watch({ TERM: 'xterm-kitty' }, { terminalNotifications: false });
    update(asking, 0, undefined);
    expect(written).toEqual([]);
  });
});

test('the branch of a folder: of its repository, of a worktree, of a commit, of none', async () => {
  const root = temporaryFolder();
  const git = (...args: string[]) => execFileSync('git', ['-C', root, ...args], { encoding: 'utf8' }).trim();
  expect(await readBranch(root, nodeFiles)).toBeUndefined();
  git('init', '-q', '-b', 'main');
  mkdirSync(join(root, 'below'));
  expect(await readBranch(join(root, 'below'), nodeFiles)).toBe('main');
  git('-c', 'user.name=a', '-c', 'user.email=a@example', 'commit', '-q', '--allow-empty', '-m', 'x');
  git('worktree', 'add', '-q', '-b', 'feature/one', join(root, 'tree'));
  expect(await readBranch(join(root, 'tree'), nodeFiles)).toBe('feature/one');
  git('checkout', '-q', '--detach');
  expect(await readBranch(root, nodeFiles)).toBe(git('rev-parse', 'HEAD').slice(0, 7));
});

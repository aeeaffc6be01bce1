import { describe, expect, it } from 'vitest';
import { naiveSegments, segmentContains } from '../../src/shell/reading/naive-segments.ts';

const mentions = (command: string, text: string) =>
  naiveSegments(command).some((segment) => segmentContains(segment, text));

describe('naive segments find what a prohibition is about', () => {
  it.each([
    'echo x; rm y',
    'a && rm y',
    'a || rm y',
    'a | rm y',
    'a & rm y',
    'a |& rm y',
    'a\nrm y',
    'echo $(rm y)',
    'echo `rm y`',
    'echo "…$(rm y)…"',
    '${x:-$(rm y)}',
    'cat <(rm e)',
    "r''m y",
    'r\\m y',
    'r\\\nm y',
    '"rm" y',
    '/bin/rm y',
    './rm',
    'X=rm; $X y',
    '{rm,y}',
    'env rm y',
    'sudo rm y',
    'xargs rm',
    'bash -c "rm y"',
    'find . -exec rm {} +',
    'rm',
    'rm\u00a0y',
  ])('rm in %j', (command) => {
    expect(mentions(command, 'rm')).toBe(true);
  });

  it.each(['farm y', 'rmdir y', 'npm run perm', 'git rm-thing', 'confirm'])('no rm in %j', (command) => {
    expect(mentions(command, 'rm')).toBe(false);
  });

  it('compares words whatever the spaces between them', () => {
    expect(mentions('git \t  push origin', 'git push')).toBe(true);
    expect(mentions('git pushall', 'git push')).toBe(false);
  });
});

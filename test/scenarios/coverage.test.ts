import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { TERMINAL_REASONS } from '../../src/index.ts';
import { TRANSITION_REASONS } from '../../src/protocol/session/transition.ts';

const namesIn = (folder: string): string[] =>
  readdirSync(fileURLToPath(new URL(folder, import.meta.url))).map((name) => name.replace(/\.test\.ts$/, ''));

describe('every reason has a scenario of its own, and every scenario a reason', () => {
  it('terminals', () => {
    expect(namesIn('terminal').sort()).toEqual([...TERMINAL_REASONS].sort());
  });
  it('transitions', () => {
    expect(namesIn('transition').sort()).toEqual([...TRANSITION_REASONS].sort());
  });
});

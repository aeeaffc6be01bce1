import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { TERMINAL_REASONS } from '@turnwright/engine';
import { TRANSITION_REASONS } from '@turnwright/engine/protocol/session/transition.ts';
import { describe, expect, it } from 'vitest';

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

describe('F168 faults are played without real time and without a network', () => {
  const folder = new URL('faults/', import.meta.url);
  const files = readdirSync(fileURLToPath(folder)).map((name) => [
    name,
    readFileSync(new URL(name, folder), 'utf8'),
  ]);

  it.each(files)('%s', (name, code) => {
    // A program of its own may wait: it measures real memory.
    const isMeasured = name === 'import-cost.test.ts';
    if (!isMeasured) expect(code).not.toMatch(/timers\/promises|\bsetTimeout\(/);
    const hosts = [...code.matchAll(/https?:\/\/([\w.-]+)/g)].map(([, host = '']) => host);
    expect(
      hosts.filter((host) => !/^(?:127\.0\.0\.1|localhost|(?:[\w-]+\.)*example(?:\.\w+)?)$/.test(host)),
    ).toEqual([]);
  });
});

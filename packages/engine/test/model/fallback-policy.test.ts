/** The table of docs/models.md says what the table of the code says (L4.4). */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { FALLBACK_POLICIES, FALLBACK_TRIGGERS } from '../../src/protocol/model/fallback.ts';

const KEEPS = {
  complete_calls: 'complete calls, which run',
  started_calls: 'calls that had started, with their results',
} as const;

it('docs/models.md has the table of when another model takes over', () => {
  const page = readFileSync(join(import.meta.dirname, '../../../../docs/models.md'), 'utf8');
  const rows = [...page.matchAll(/^\| `(\w+)` \|.*\| (.+) \| (.+) \| (.+) \| (.+) \|$/gm)].filter(
    ([, trigger = '']) => Object.hasOwn(FALLBACK_POLICIES, trigger),
  );
  expect(rows.map(([, ...cells]) => cells)).toEqual(
    FALLBACK_TRIGGERS.map((trigger) => {
      const { after, asks, keeps, most } = FALLBACK_POLICIES[trigger];
      return [
        trigger,
        `${after}${after > 1 ? ' in a row' : ''}${most === 1 ? ', once in a submission' : ''}`,
        asks === 'any' ? 'any' : 'of another provider',
        KEEPS[keeps],
        'with the next prompt',
      ];
    }),
  );
});

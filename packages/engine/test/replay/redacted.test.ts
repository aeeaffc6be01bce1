/** What is redacted holds no word of what was said or done, and replays to the same decisions. */

import { lazily } from '@turnwright/base/collections/made-once.ts';
import { engineUnderTest } from '@turnwright/test/engine/engine-under-test.ts';
import { explainRecords } from '@turnwright/test/session/inspect-entries.ts';
import { callTool, fakeTool, replay, reply, say, think } from '@turnwright/testing';
import { describe, expect, it } from 'vitest';
import { estimateText } from '../../src/context/estimate/text-estimate.ts';
import { recordScenario, scenarioText } from '../../src/replay/record-scenario.ts';
import { redactRecords } from '../../src/session/redact-records.ts';
import { redactText } from '../../src/session/redact-text.ts';

const SECRETS = [
  'hunter2swordfish',
  'sk-ant-api03-Zq9Rt7',
  'jane.doe@corp.example',
  '/srv/payroll/salaries.xlsx',
  'Überweisung',
  '31415926',
] as const;
const ALL = SECRETS.join(' ');
const [WORD] = SECRETS;

/** Secrets in each place of a session that can hold a text. */
const session = lazily(async () => {
  let left = 1;
  const run = engineUnderTest(
    [
      reply([
        think(ALL),
        say(ALL),
        callTool('Look', { file_path: ALL, [WORD]: WORD, deep: [{ code: 31415926, env: { KEY: ALL } }] }),
      ]),
      reply([say(`Cut ${ALL}`)], { stopReason: 'max_tokens' }),
      say(ALL),
      say(ALL),
      say('Second.'),
    ],
    {
      cwd: '/srv/payroll',
      systemPrompt: ALL,
      tools: [fakeTool({ name: 'Look', readOnly: true, answer: ALL })],
      hooks: {
        Stop: [{ hooks: [async () => (left-- > 0 ? { decision: 'block' as const, reason: ALL } : {})] }],
        UserPromptSubmit: [
          {
            hooks: [
              async () => ({
                systemMessage: ALL,
                hookSpecificOutput: { hookEventName: 'UserPromptSubmit' as const, additionalContext: ALL },
              }),
            ],
          },
        ],
      },
    } as never,
  );
  await run.run(ALL);
  await run.run(`Again, ${ALL}`);
  return run.store.entries(run.engine.sessionId);
});

const found = (text: string) => SECRETS.filter((secret) => text.includes(secret));

describe('redacted', () => {
  it('records, their explanation, scenario and replay hold none of the secrets', async () => {
    const entries = await session();
    expect(found(JSON.stringify(entries))).toEqual([...SECRETS]);
    const redacted = redactRecords(entries);
    const other = await replay(redacted, { alter: () => ({ params: { defaultOutputCap: 4_000 } }) });
    const scenario = recordScenario(redacted);
    expect({
      records: found(JSON.stringify(redacted)),
      explanation: found(explainRecords(redacted)),
      scenario: scenario && found(scenarioText(scenario)),
      report: found(JSON.stringify(other)),
    }).toEqual({ records: [], explanation: [], scenario: [], report: [] });
    expect(other.difference?.fact).toBe('request.maxTokens');
  });

  it('records decide the same', async () => {
    const { difference, iterations } = await replay(redactRecords(await session()));
    expect(difference && { ...difference, records: undefined }).toBeUndefined();
    expect(iterations).toBeGreaterThan(3);
  });

  it('a text is redacted in whatever field it is', async () => {
    const planted = (value: unknown, key: string): unknown => {
      if (typeof value === 'string') return key === 'type' ? value : `correct horse ${value}`;
      if (Array.isArray(value)) return value.map((item) => planted(item, key));
      if (typeof value !== 'object' || value === null) return value;
      return Object.fromEntries(
        // Names of models, events and limits, which nobody types as a text.
        Object.entries(value).map(([name, item]) => [name, name === 'run' ? item : planted(item, name)]),
      );
    };
    for (const entry of await session())
      expect(JSON.stringify(redactRecords([planted(entry, '') as typeof entry]))).not.toContain('horse');
  });

  it('texts have their size, and are not changed again', () => {
    for (const text of [
      ALL,
      'naïve 🦆 text',
      '統一碼 한국어 עברית',
      'a'.repeat(40),
      'deadbeef'.repeat(9),
      '{"a": [1]}\n',
    ]) {
      const redacted = redactText(text);
      expect(redacted.length).toBe(text.length);
      expect(estimateText(redacted)).toBe(estimateText(text));
      expect(redactText(redacted)).toBe(redacted);
    }
  });
});

/** Sessions of each kind decide the same: compaction, retries, fallbacks, hooks, agents, parked questions, forks. */

import { engineUnderTest } from '@turnwright/test/engine/engine-under-test.ts';
import {
  broken,
  callTool,
  fail,
  fakeTool,
  fallback,
  replay,
  reply,
  retries,
  type ScriptStep,
  say,
} from '@turnwright/testing';
import { describe, expect, it } from 'vitest';
import type { QueryEngineConfig } from '../../src/engine/config.ts';
import type { JournalEntry } from '../../src/protocol/session/journal.ts';
import type { ReplayReport } from '../../src/protocol/session/replay-report.ts';

const look = () => fakeTool({ name: 'Look', readOnly: true, concurrencySafe: true });

interface Kind {
  readonly name: string;
  readonly script: readonly ScriptStep[];
  readonly config?: Partial<QueryEngineConfig>;
  readonly prompts?: readonly string[];
  /** What the decisions must hold, so that the case is what it says. */
  readonly shows: (decisions: string) => boolean;
}

const long = 'x'.repeat(40_000);
const stops = (reasons: (string | undefined)[]): QueryEngineConfig['hooks'] => ({
  Stop: [
    {
      hooks: [
        async () => {
          const reason = reasons.shift();
          return reason === undefined ? {} : { decision: 'block' as const, reason };
        },
      ],
    },
  ],
});

const KINDS: readonly Kind[] = [
  {
    name: 'retries before an answer',
    script: [retries([{}, {}], say('Late.'))],
    shows: (decisions) => decisions.includes('overloaded'),
  },
  {
    name: 'a broken stream',
    script: [broken({ after: [say('Half an ans')] }), say('Whole.')],
    shows: (decisions) => decisions.includes('"cut"'),
  },
  {
    name: 'a broken stream behind a call',
    script: [broken({ after: [callTool('Look', {})] }), say('Whole.')],
    shows: (decisions) => decisions.includes('"cut"'),
  },
  {
    name: 'a failure that ends the run',
    script: [fail({ kind: 'invalid_request', status: 400, message: 'No.' })],
    shows: (decisions) => decisions.includes('api_error'),
  },
  {
    name: 'a fallback model',
    script: [fallback(), say('From the other one.')],
    config: { fallbackModel: 'claude-sonnet-5' },
    shows: (decisions) => decisions.includes('"fallback"'),
  },
  {
    name: 'a fallback within an answer',
    script: [fallback({ after: [say('Half')] }), say('From the other one.')],
    config: { fallbackModel: 'claude-sonnet-5' },
    shows: (decisions) => decisions.includes('"fallback"'),
  },
  {
    name: 'a refusal that another model answers',
    script: [reply([say('I can')], { stopReason: 'refusal' }), say('From the other one.')],
    config: { fallbackModel: 'claude-sonnet-5' },
    shows: (decisions) => decisions.includes('"refusal"'),
  },
  {
    name: 'a refusal',
    script: [reply([say('I cannot')], { stopReason: 'refusal' })],
    shows: (decisions) => decisions.includes('refused'),
  },
  {
    name: 'an answer above the output cap',
    script: [
      reply([say('One')], { stopReason: 'max_tokens' }),
      reply([say('Two')], { stopReason: 'max_tokens' }),
      say('three.'),
    ],
    shows: (decisions) => /max_output_tokens_escalate[\s\S]*max_output_tokens_recovery/.test(decisions),
  },
  {
    name: 'a paused answer',
    script: [reply([say('One')], { stopReason: 'pause_turn' }), say('two.')],
    shows: (decisions) => decisions.includes('paused'),
  },
  {
    name: 'an empty answer',
    script: [reply([]), say('Sorry.')],
    shows: (decisions) => decisions.includes('unusable_answer_retry'),
  },
  {
    name: 'stop hooks',
    script: [say('Done?'), say('Done!')],
    config: { hooks: stops(['Not yet.', undefined]) },
    shows: (decisions) => decisions.includes('stop_hook_blocking'),
  },
  {
    name: 'conditions that do not hold',
    script: [say('Done?'), say('Done!')],
    config: { verify: { exist: ['never'], attempts: 1 } },
    shows: (decisions) => decisions.includes('verify_failed') && decisions.includes('"unverified"'),
  },
  {
    name: 'a stop hook that ends the run',
    script: [say('Done?')],
    config: {
      hooks: { Stop: [{ hooks: [async () => ({ continue: false, stopReason: 'Enough.' })] }] },
    },
    shows: (decisions) => decisions.includes('stop_hook_prevented'),
  },
  {
    name: 'a hook behind a tool that ends the run',
    script: [callTool('Look', {})],
    config: {
      tools: [look()],
      hooks: { PostToolUse: [{ hooks: [async () => ({ continue: false, stopReason: 'Seen enough.' })] }] },
    },
    shows: (decisions) => decisions.includes('hook_stopped'),
  },
  {
    name: 'context of hooks behind tools',
    script: [callTool('Look', {}), say('Done.')],
    config: {
      tools: [look()],
      hooks: {
        PostToolUse: [
          {
            hooks: [
              async () => ({
                hookSpecificOutput: { hookEventName: 'PostToolUse', additionalContext: 'It is late.' },
              }),
            ],
          },
        ],
      },
    },
    shows: (decisions) => decisions.includes('"next_turn"'),
  },
  {
    name: 'the limit of turns',
    script: [callTool('Look', {}), callTool('Look', {})],
    config: { tools: [look()], maxTurns: 2 },
    shows: (decisions) => decisions.includes('max_turns'),
  },
  {
    name: 'a spent budget',
    script: [callTool('Look', {}), callTool('Look', {})],
    config: { tools: [look()], maxBudgetUsd: 0.0002 },
    shows: (decisions) => decisions.includes('budget_exhausted'),
  },
  {
    name: 'a budget of tokens',
    script: [say('One.'), say('Two.'), say('Three.'), say('Four.'), say('Five.')],
    config: { tokenBudget: { target: 1_000 } } as Partial<QueryEngineConfig>,
    shows: (decisions) => decisions.includes('token_budget_continuation'),
  },
  {
    name: 'a denied call',
    script: [callTool('Look', {}), say('Then not.')],
    config: {
      tools: [look()],
      permissionMode: 'default',
      disallowedTools: [],
      canUseTool: async () => ({ behavior: 'deny' as const, message: 'No.' }),
    } as Partial<QueryEngineConfig>,
    shows: (decisions) => decisions.includes('"denied"') || decisions.includes('"ok"'),
  },
  {
    name: 'a denied call that interrupts',
    script: [callTool('Change', {})],
    config: {
      tools: [fakeTool({ name: 'Change' })],
      permissionMode: 'default',
      canUseTool: async () => ({ behavior: 'deny' as const, message: 'No.', interrupt: true }),
    } as Partial<QueryEngineConfig>,
    shows: (decisions) => decisions.includes('aborted_tools'),
  },
  {
    name: 'a compaction',
    script: [
      say('One.'),
      say('Two.'),
      reply([callTool('Look', {})], { usage: { input_tokens: 16_500 } as never }),
      say('<summary>All of it.</summary>'),
      say('Three.'),
      say('Four.'),
    ],
    config: { compaction: { window: 24_000, collapse: false } },
    prompts: [long, 'So?', 'And now?', 'And more?'],
    shows: (decisions) => /"step":"autocompact","ran":true/.test(decisions),
  },
  {
    name: 'a compaction that failed',
    script: [
      say('One.'),
      say('Two.'),
      reply([callTool('Look', {})], { usage: { input_tokens: 15_500 } as never }),
      fail({ kind: 'invalid_request', status: 400 }),
      say('Three.'),
    ],
    config: { compaction: { window: 24_000, collapse: false } },
    prompts: [long, 'So?', 'And now?'],
    shows: (decisions) => /"step":"autocompact","ran":true/.test(decisions),
  },
  {
    name: 'a summary after a refusal for size',
    script: [
      say('One.'),
      fail({ kind: 'prompt_too_long', status: 400, message: 'prompt is too long' }),
      say('<summary>All of it.</summary>'),
      say('Done.'),
    ],
    prompts: [long, 'And now?'],
    shows: (decisions) => decisions.includes('reactive_compact_retry'),
  },
  {
    name: 'a limit without recovery',
    script: [],
    config: { compaction: { auto: false, window: 3_000, blockingAt: 300 } },
    shows: (decisions) => decisions.includes('blocking_limit'),
  },
  {
    name: 'many calls at once',
    script: [
      reply([callTool('Look', { a: 1 }), callTool('Look', { a: 2 }), callTool('None', {})]),
      say('Done.'),
    ],
    config: { tools: [look()] },
    shows: (decisions) => decisions.includes('unknown_tool'),
  },
  {
    name: 'a tool that ends the turn',
    script: [callTool('End', {})],
    config: { tools: [fakeTool({ name: 'End', answer: { content: 'The end.', endsTurn: true } })] },
    shows: (decisions) => decisions.includes('tool_ended_turn'),
  },
];

const brief = ({ difference }: ReplayReport) => difference && { ...difference, records: undefined };

describe('a session with', () => {
  for (const { name, script, config, prompts = ['Begin.'], shows } of KINDS)
    it(`${name} decides the same`, async () => {
      const run = engineUnderTest(script, { tools: [look()], ...config });
      for (const prompt of prompts) await run.run(prompt);
      const entries = run.store.entries(run.engine.sessionId);
      const decisions = JSON.stringify(entries.filter(({ type }) => type === 'decision'));
      if (!shows(decisions))
        throw new Error(
          `Not what it says: ${decisions.match(/"(?:step":"autocompact[^}]*|sentence":[^}]*)/g)?.join(' ')}`,
        );
      const report = await replay(entries);
      expect(brief(report)).toBeUndefined();
      expect(report.notRecorded).toEqual([]);
      expect(report.iterations).toBe(entries.filter(({ type }) => type === 'decision').length);
      // Of a version that did not record what the loop was told.
      const older = entries.map((entry) => Object.assign({ ...entry }, { told: undefined }) as JournalEntry);
      expect(brief(await replay(older))).toBeUndefined();
    });
});

import { explainRecords } from '@turnwright/test/session/inspect-entries.ts';
import { asEntries, decisionRecord, playSession } from '@turnwright/test/session/sample-journal.ts';
import { describe, expect, it } from 'vitest';
import type { DecisionRecord } from '../../src/protocol/session/decision-record.ts';
import type { JournalBody } from '../../src/protocol/session/journal.ts';

const submission = (id: string): JournalBody => ({
  type: 'submission',
  id,
  submission: id,
  model: 'm',
  permissionMode: 'default',
});
const request = (s: string, iteration: number): JournalBody => ({
  type: 'request',
  id: `${s}/${iteration}/1/request`,
  submission: s,
  iteration,
  attempt: 1,
  model: 'claude-test',
  maxTokens: 1,
  querySource: 'main',
});
const decision = (record: DecisionRecord): JournalBody => ({
  type: 'decision',
  id: `${record.submission}/${record.iteration}/1/decision`,
  submission: record.submission,
  record,
});

const DONE = 'The model gave its answer and asked for no further tool: the task is done.';

describe('explain', () => {
  it('gives the reason first, then a line per iteration with what it did', () => {
    const first: DecisionRecord = {
      ...decisionRecord('s1', 1, 1, {
        kind: 'continue',
        transition: 'next_turn',
        sentence: 'Went on: next_turn (no rule objected).',
      }),
      attempts: [
        {
          startMs: 0,
          endMs: 40,
          model: 'claude-test',
          stream: true,
          bytes: 1,
          outcome: 'overloaded',
          status: 529,
        },
        {
          startMs: 540,
          endMs: 1900,
          model: 'claude-test',
          stream: true,
          bytes: 1,
          outcome: 'complete',
          status: 200,
          waitedMs: 500,
        },
      ],
      prepare: [{ step: 'snip', ran: true, why: '', tokensBefore: 900, tokensAfter: 300, ms: 1 }],
      usage: {
        input_tokens: 100,
        output_tokens: 20,
        cache_read_input_tokens: 50,
        cache_creation_input_tokens: 7,
      },
      costUsd: 0.0123,
      tools: [
        {
          id: 't1',
          name: 'Bash',
          queuedMs: 0,
          startedMs: 0,
          endedMs: 250,
          outcome: 'ok',
          inputChars: 1,
          resultChars: 1,
          concurrent: false,
        },
        {
          id: 't2',
          name: 'Read',
          queuedMs: 0,
          endedMs: 250,
          outcome: 'denied',
          inputChars: 1,
          resultChars: 1,
          concurrent: false,
        },
      ],
    };
    const second: DecisionRecord = {
      ...decisionRecord('s1', 2, 2, {
        kind: 'stop',
        terminal: 'max_turns',
        sentence: 'Stopped: max_turns (rule "turn limit"), turn 2.',
      }),
      in: 'next_turn',
      rules: [
        { name: 'aborted', verdict: 'pass', read: {} },
        { name: 'turn limit', verdict: 'stop', read: { calls: 2 } },
      ],
    };
    const text = explainRecords(
      asEntries([submission('s1'), request('s1', 1), decision(first), request('s1', 2), decision(second)]),
    );
    expect(text.split('\n')).toEqual([
      'Stopped: the turn limit was reached (--max-turns).',
      '2 iterations · $0.00 · 20 ms · 0 % read from the cache',
      '',
      '#1 · claude-test · Bash, Read · 157 · cache 32 % · $0.0123 · 10 ms',
      '#2 · claude-test · 10 ms',
      '     Stopped: the turn limit was reached (--max-turns).',
      '',
      'Asked again:',
      '  #1 Asked again, because the model was overloaded (529). 500 ms were waited.',
      '',
      'Shortened:',
      '  #1 Parts that were marked as no longer needed were removed: 900 → 300 tokens, 600 freed.',
      '',
      'Not allowed:',
      '  #1 Read: Not allowed.',
    ]);
  });

  it.each([
    ['sandbox', 'Bash ok in the sandbox 250 ms'],
    ['excluded', 'Bash ok outside of the sandbox, as the settings say 250 ms'],
    ['override', 'Bash ok outside of the sandbox, as the call asked 250 ms'],
  ] as const)('says where a command ran: %s', (ranIn, text) => {
    const bash = {
      id: 't',
      name: 'Bash',
      queuedMs: 0,
      startedMs: 0,
      endedMs: 250,
      outcome: 'ok',
      inputChars: 1,
      resultChars: 1,
      concurrent: false,
    } as const;
    const end = { kind: 'continue', transition: 'next_turn', sentence: 'Went on.' } as const;
    const record: DecisionRecord = { ...decisionRecord('s1', 1, 1, end), tools: [{ ...bash, ranIn }] };
    expect(explainRecords(asEntries([submission('s1'), request('s1', 1), decision(record)]))).toContain(text);
  });

  it('says where a session was cut off', () => {
    const cut = explainRecords(asEntries([submission('s1'), request('s1', 1)]));
    expect(cut).toBe(
      [
        'Cut off here: the process ended before this iteration was decided.',
        '1 iteration · $0.00 · 0 ms · 0 % read from the cache',
        '',
        '#1 · claude-test · 0 ms',
        '     Cut off here: the process ended before this iteration was decided.',
      ].join('\n'),
    );
    expect(explainRecords(asEntries([submission('s1')]))).toMatch(
      /^Interrupted here: the prompt is recorded, no request is\./,
    );
    expect(explainRecords([])).toBe('Nothing was asked in this session yet.');
  });

  it('a submission that ended without a request says how', () => {
    const result: JournalBody = { type: 'result', id: 'r', submission: 's1', result: { subtype: 'success' } };
    expect(explainRecords(asEntries([submission('s1'), result]))).toMatch(/^The task is done\./);
  });

  it('takes several submissions, the last one first in its say', () => {
    const script = [[], []].map(() => [] as never[]);
    const text = explainRecords(asEntries(playSession(script).bodies));
    expect(text.split('\n')[0]).toBe(DONE);
    expect(text).toContain(`Submission 1 of 2: ${DONE}`);
    expect(text).toContain(`Submission 2 of 2: ${DONE}`);
  });
});

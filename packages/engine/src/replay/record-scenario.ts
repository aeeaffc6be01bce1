/**
 * A session as a scenario of the rehearsal server: what the model answered to one submission, in order,
 * failed attempts included. Played, the same loop gets the same answers; tools run for real.
 */

import { textOfContent } from '@turnwright/base/text/text-blocks.ts';
import type { ModelFailure } from '../protocol/model/failure.ts';
import type { AttemptRecord } from '../protocol/model/model.ts';
import type { AssistantBlock } from '../protocol/model/wire.ts';
import type { JournalEntry } from '../protocol/session/journal.ts';
import { readRecorded } from './read-recorded.ts';
import type { RecordedAttempt, RecordedIteration, RecordedRun } from './recorded.ts';

/** A scenario file, as it is written. */
interface RecordedScenario {
  readonly name: string;
  /** The prompt, which `turnwright rehearse` submits by default. */
  readonly task: string;
  readonly vars: Readonly<Record<string, string>>;
  readonly replies: readonly RecordedReply[];
  /** What the file does not hold, in words. */
  readonly left: readonly string[];
}

interface RecordedReply {
  /** What was decided behind it: a comment. */
  readonly decided?: string;
  readonly reply: Readonly<Record<string, unknown>>;
}

type Fault = Readonly<Record<string, unknown>> & { readonly name: string };

/**
 * `submission`: from 1; default the last one that was answered. undefined: no answer of a model is recorded.
 */
export function recordScenario(
  entries: readonly JournalEntry[],
  { submission }: { readonly submission?: number | undefined } = {},
): RecordedScenario | undefined {
  const runs = readRecorded(entries).filter(({ iterations }) => iterations.some(isAsked));
  const ordinal = submission ?? runs.at(-1)?.ordinal;
  const own = runs.filter((run) => run.ordinal === ordinal);
  const [first] = own;
  if (first === undefined) return undefined;
  const left = new Set<string>();
  if (first.view.length > 1) left.add('what was said before this submission');
  const words = new Templates(entries.find(({ cwd }) => cwd !== undefined)?.cwd);
  const replies = own.flatMap(({ iterations }) => iterations.flatMap((each) => repliesOf(each, words, left)));
  return {
    name: `session ${first.sessionId}, submission ${first.ordinal}`,
    task: promptOf(first),
    vars: words.vars,
    replies: [...replies, ...summaries(own, words), ...HELPERS],
    left: [...left],
  };
}

const isAsked = ({ attempts }: RecordedIteration): boolean => attempts.length > 0;

function promptOf({ view }: RecordedRun): string {
  const prompt = view.slice().findLast((message) => message.type === 'user' && message.kind === 'prompt');
  return prompt?.type === 'user' ? textOfContent(prompt.message.content) : '';
}

/** Texts in which the folder of the session is a variable, and nothing else is a template. */
class Templates {
  readonly #folder: string | undefined;
  readonly #vars: Record<string, string> = {};

  constructor(folder: string | undefined) {
    this.#folder = folder !== undefined && folder.length > 1 ? folder : undefined;
  }

  get vars(): Readonly<Record<string, string>> {
    return this.#vars;
  }

  in<T>(value: T): T {
    return this.#fill(value) as T;
  }

  #fill(value: unknown): unknown {
    if (typeof value === 'string') return this.#text(value);
    if (Array.isArray(value)) return value.map((item) => this.#fill(item));
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, this.#fill(item)]));
  }

  #text(text: string): string {
    const literal = text.replaceAll('{{', () => this.#named('open', '{{'));
    const folder = this.#folder;
    return folder === undefined || !literal.includes(folder)
      ? literal
      : literal.replaceAll(folder, () => this.#named('root', '.'));
  }

  #named(name: string, value: string): string {
    this.#vars[name] = value;
    return `{{vars.${name}}}`;
  }
}

function repliesOf(iteration: RecordedIteration, words: Templates, left: Set<string>): RecordedReply[] {
  const { attempts, record } = iteration;
  const replies: RecordedReply[] = [];
  for (const [at, attempt] of attempts.entries()) {
    const how = record?.attempts[at];
    if (attempt.blocks.length === 0 && attempt.response === undefined) {
      const fault = faultOf(how, iteration, at);
      if (fault === undefined)
        left.add(`iteration ${iteration.number}: an attempt that ended as ${how?.outcome}`);
      else replies.push({ reply: { faults: [fault] } });
      continue;
    }
    const broken = attempt.response?.broken === true || attempt.response === undefined;
    replies.push({
      reply: {
        blocks: attempt.blocks.flatMap(({ message }) =>
          message.content.map((block) => written(block, words)),
        ),
        stop_reason: attempt.response?.stopReason ?? null,
        ...(attempt.response !== undefined && !broken && { usage: figures(attempt) }),
        ...(broken && { faults: [{ name: 'cut' }] }),
      },
    });
  }
  const decided = record?.decision?.sentence;
  const last = replies.pop();
  return last === undefined
    ? []
    : [...replies, { ...last, ...(decided !== undefined && { decided: `${iteration.number}: ${decided}` }) }];
}

/** Statuses by what a failure without one is taken for. */
const STATUSES: Partial<Record<ModelFailure['kind'], number>> = {
  overloaded: 529,
  rate_limited: 429,
  server_error: 500,
  authentication: 401,
  permission: 403,
  not_found: 404,
  invalid_request: 400,
  prompt_too_long: 400,
  media_too_large: 400,
  output_over_window: 400,
};

function faultOf(how: AttemptRecord | undefined, { told }: RecordedIteration, at: number): Fault | undefined {
  const outcome = how?.outcome;
  if (outcome === 'connection' || outcome === 'cut') return { name: 'reset-before-headers' };
  if (outcome === 'protocol') return { name: 'wrong-content-type' };
  const failure = told.calls?.find(({ n, attempts }) => n + attempts > at)?.failure;
  const status =
    how?.status ?? (outcome === undefined ? undefined : STATUSES[outcome as ModelFailure['kind']]);
  if (status === undefined || status < 400) return undefined;
  return {
    name: 'http-status',
    status,
    retryAfter: '0',
    ...(failure?.errorType !== undefined && { type: failure.errorType }),
    ...(failure !== undefined && { message: failure.message }),
  };
}

/** As a scenario file has it. */
function written(block: AssistantBlock, words: Templates): Readonly<Record<string, unknown>> {
  switch (block.type) {
    case 'text':
      return { text: words.in(block.text) };
    case 'thinking':
      return { thinking: words.in(block.thinking) };
    case 'tool_use':
      return { tool_use: { id: block.id, name: block.name, input: words.in(block.input) } };
    default:
      return { redacted_thinking: 'left out' };
  }
}

const FIGURES = [
  'input_tokens',
  'output_tokens',
  'cache_creation_input_tokens',
  'cache_read_input_tokens',
] as const;

function figures({ response }: RecordedAttempt): Readonly<Record<string, number>> {
  return Object.fromEntries(
    FIGURES.flatMap((name) => {
      const tokens = response?.usage[name];
      return typeof tokens === 'number' ? [[name, tokens]] : [];
    }),
  );
}

/** What compactions came to. */
function summaries(runs: readonly RecordedRun[], words: Templates): RecordedReply[] {
  return runs.flatMap(({ iterations }) =>
    iterations.flatMap(({ edits }) =>
      edits.flatMap((record) => {
        if (record.type !== 'boundary') return [];
        const head = record.edits.flatMap((edit) => (edit.kind === 'reset' ? edit.head : []));
        const summary = head.find((message) => message.type === 'user' && message.kind === 'summary');
        const text = summary?.type === 'user' ? textOfContent(summary.message.content) : '';
        return [
          { reply: { when: { kind: 'compaction' }, blocks: [{ text: words.in(text || 'Summary.') }] } },
        ];
      }),
    ),
  );
}

/** Requests beside the conversation, whose answers are not recorded. */
const HELPERS: readonly RecordedReply[] = [
  { reply: { when: { kind: 'helper' }, times: 'any', blocks: [{ text: 'Not recorded.' }] } },
];

/** The file: YAML, with each reply on a line. */
export function scenarioText({ name, task, vars, replies, left }: RecordedScenario): string {
  const lines = [
    ...left.map((each) => `# not recorded: ${each}`),
    `name: ${JSON.stringify(name)}`,
    `task: ${JSON.stringify(task)}`,
    ...(Object.keys(vars).length > 0 ? [`vars: ${JSON.stringify(vars)}`] : []),
    'replies:',
    ...replies.flatMap(({ decided, reply }) => [
      `  - ${JSON.stringify(reply)}`,
      ...(decided === undefined ? [] : [`    # ${decided.replaceAll(/\s+/g, ' ')}`]),
    ]),
  ];
  return `${lines.join('\n')}\n`;
}

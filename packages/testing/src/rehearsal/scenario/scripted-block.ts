/** Normalises a block as written in a file or a program to the one shape that is played. */
import { TurnwrightError } from '@turnwright/engine/protocol/errors.ts';
import type { Reply, Scenario, ScenarioFunction, ScriptedBlock, ScriptedReply } from './scenario.ts';

/** The scenario with normalised blocks; a function is returned unchanged. Throws `invalid_scenario`. */
export function wholeScenario(scenario: Scenario | ScenarioFunction): Scenario | ScenarioFunction {
  if (typeof scenario === 'function') return scenario;
  if (!Array.isArray(scenario.replies)) throw invalid(`${nameOf(scenario)}: expected a list of replies.`);
  return {
    ...scenario,
    replies: scenario.replies.map((reply: ScriptedReply, at) =>
      wholeReply(reply, `${nameOf(scenario)}: replies.${at}`),
    ),
  };
}

/** `place`: its name in errors. */
export function wholeReply<R extends Reply>(reply: R, place: string): R {
  const { blocks = [] } = reply as Partial<Reply>;
  if (!Array.isArray(blocks)) throw invalid(`${place}.blocks: expected a list of blocks.`);
  return { ...reply, blocks: blocks.map((block, at) => scriptedBlock(block, `${place}.blocks.${at}`)) };
}

/** `{ type: 'text', text }` as in a program, or `{ text }` as in a file. */
function scriptedBlock(value: unknown, place: string): ScriptedBlock {
  const block = toRecord(value);
  const call = block['type'] === 'tool_use' ? block : toRecord(block['tool_use']);
  if (typeof call['name'] === 'string') {
    const { id, name, input = {} } = call as { id?: string; name: string; input?: Record<string, unknown> };
    return { type: 'tool_use', ...(id !== undefined && { id }), name, input };
  }
  if (typeof block['text'] === 'string') return { type: 'text', text: block['text'] };
  if (typeof block['thinking'] === 'string') return { type: 'thinking', thinking: block['thinking'] };
  const data = block['type'] === 'redacted_thinking' ? block['data'] : block['redacted_thinking'];
  if (typeof data === 'string') return { type: 'redacted_thinking', data };
  throw invalid(
    `${place}: expected text, thinking, redacted_thinking or tool_use with a name, as in { text: 'hi' }, not ${JSON.stringify(value)}.`,
  );
}

function toRecord(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}

function nameOf({ source, name }: Scenario): string {
  return source ?? name ?? 'scenario';
}

function invalid(message: string): TurnwrightError {
  return new TurnwrightError('invalid_scenario', message);
}

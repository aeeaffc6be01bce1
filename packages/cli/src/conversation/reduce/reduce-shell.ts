/** The person's own shell command (`!command`), which runs beside or without the model. */
import { leaderOfFamily } from '@turnwright/engine';
import { type ConversationState, isWorking, type RunningTool } from '../conversation-state.ts';
import type { TypedCommandEnd } from '../session/typed-command.ts';
import type { ToolItem } from '../view/transcript-item.ts';
import { inPhase, type Reduction } from './step.ts';

export function shellStarted(
  state: ConversationState,
  { id, command }: { readonly id: string; readonly command: string },
  nowMs: number,
): Reduction {
  const tool: RunningTool = {
    id,
    name: leaderOfFamily('command'),
    input: { command },
    sinceMs: nowMs,
    askedMs: 0,
    askedSinceMs: undefined,
    output: undefined,
    agent: undefined,
    deniedBy: undefined,
    isOwn: true,
  };
  const next = isWorking(state) ? state : inPhase(state, 'tools', nowMs);
  return {
    state: { ...next, hint: undefined, tools: [...state.tools, tool] },
    items: [{ kind: 'prompt', text: `! ${command}`, images: 0 }],
  };
}

export function shellEnded(
  state: ConversationState,
  { id, end }: { readonly id: string; readonly end: TypedCommandEnd },
  nowMs: number,
): Reduction {
  const tool = state.tools.find((running) => running.id === id);
  if (tool === undefined) return { state, items: [] };
  const tools = state.tools.filter((running) => running !== tool);
  const isOver = state.submission === undefined && tools.length === 0;
  const next = { ...state, tools, ...(isOver && { interruptingSinceMs: undefined }) };
  return { state: isOver ? inPhase(next, 'idle', nowMs) : next, items: [toToolItem(tool, end, nowMs)] };
}

function toToolItem(
  { id, name, input, sinceMs }: RunningTool,
  end: TypedCommandEnd,
  nowMs: number,
): ToolItem {
  const output = [end.stdout, end.stderr, end.error ?? ''].filter((text) => text !== '').join('\n');
  const isStopped = end.code === undefined && end.error === undefined;
  // As the tool of the same name words it: a first line, and the output.
  const headline = end.code === undefined ? 'No exit code' : `Exit code ${end.code}`;
  const isDone = end.code === 0;
  return {
    kind: 'tool',
    id,
    name,
    input,
    ms: nowMs - sinceMs,
    outcome: isDone ? 'done' : 'failed',
    text: isDone ? output : `${headline}\n${output}`,
    result: { stdout: output, interrupted: isStopped },
    agent: undefined,
  };
}

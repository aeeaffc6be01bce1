/**
 * Sleep: waits for time to pass or for a prompt to arrive; afterwards prompts with priority `later` join the
 * conversation (L6).
 */
import type { Clock } from '../../../protocol/ports.ts';
import { CallParked, type ParkingPort } from '../../../protocol/session/parking.ts';
import type { Tool } from '../../../protocol/tools/tool.ts';
import { createParser } from '../../schema/from-json-schema.ts';

export const SLEEP_TOOL = 'Sleep';

interface SleepInput {
  readonly seconds: number;
}

interface SleepOutput {
  readonly sleptMs: number;
  /** A prompt arrived, or was queued already. */
  readonly woken: boolean;
}

/** Prompts that wait for the running turn. */
interface WaitingPrompts {
  peek(): readonly unknown[];
  /** Calls the listener for each new one. Returns a function that removes it. */
  onArrival(listener: () => void): () => void;
}

export interface SleepPorts {
  readonly clock: Clock;
  prompts(): WaitingPrompts;
  /** Which sleeps of the main agent end their run. Absent: none. */
  readonly parking?: ParkingOfSleeps | undefined;
}

interface ParkingOfSleeps extends Pick<ParkingPort, 'isTooLong'> {
  /** When a sleep is over that began in an earlier run, in ms since 1970. */
  wakeAtOf(toolUseId: string): number | undefined;
}

const MAX_SECONDS = 3_600;

const schema = {
  type: 'object',
  properties: {
    seconds: {
      type: 'number',
      minimum: 1,
      maximum: MAX_SECONDS,
      description: 'How long to wait at most.',
    },
  },
  required: ['seconds'],
  additionalProperties: false,
};

export function createSleepTool({ clock, parking, prompts }: SleepPorts): Tool<SleepInput, SleepOutput> {
  return {
    name: SLEEP_TOOL,
    inputJsonSchema: schema,
    description: () =>
      'Waits, without holding a shell: when there is nothing to do until something happens, or when you were asked to wait. It ends early when the user says something. What the user has said for later reaches you with its result. Each time you wake costs a request, so do not wait in small steps.',
    parse: createParser<SleepInput>(schema),
    isConcurrencySafe: () => true,
    isReadOnly: () => true,
    effectClass: () => 'pure',
    permissionTarget: () => ({ kind: 'none' }),
    async run({ seconds }, { agentId, signal, toolUseId }) {
      const startMs = clock.monotonicMs();
      const wholeMs = seconds * 1_000;
      const nowMs = clock.nowMs();
      const wakeAt = parking?.wakeAtOf(toolUseId) ?? nowMs + wholeMs;
      const leftMs = wakeAt - nowMs;
      if (agentId === undefined && parking?.isTooLong(leftMs) === true && prompts().peek().length === 0)
        throw new CallParked({ on: 'time', wakeAt });
      const woken = await sleep(leftMs, clock, prompts(), signal);
      signal.throwIfAborted();
      const sleptMs = Math.round(wholeMs - leftMs + clock.monotonicMs() - startMs);
      const about = `${Math.round(sleptMs / 100) / 10} s`;
      return {
        data: { sleptMs, woken },
        content: woken ? `Woke after ${about}: the user has said something.` : `Slept for ${about}.`,
      };
    },
  };
}

/** Resolves with whether a prompt ended the sleep. */
function sleep(ms: number, clock: Clock, prompts: WaitingPrompts, signal: AbortSignal): Promise<boolean> {
  if (prompts.peek().length > 0) return Promise.resolve(true);
  return new Promise((resolve) => {
    const end = (woken: boolean) => {
      cancel();
      forget();
      signal.removeEventListener('abort', onAbort);
      resolve(woken);
    };
    const onAbort = () => end(false);
    const cancel = clock.timer(ms, () => end(false));
    const forget = prompts.onArrival(() => end(true));
    signal.addEventListener('abort', onAbort, { once: true });
    if (signal.aborted) onAbort();
  });
}

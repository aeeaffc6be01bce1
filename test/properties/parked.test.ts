/** A session that is parked at any of its questions, any number of times, is the session that is not (L4.1). */

import type { CanUseTool, Options } from '@turnwright/engine';
import type { ModelRequest } from '@turnwright/engine/protocol/model/model.ts';
import { callTool, fakeTool, reply, type ScriptStep, say, seededRandom } from '@turnwright/testing';
import { expect, it } from 'vitest';
import { lives, type Run, resultIn } from '../engine/parking/lives.ts';
import { propertyRuns } from '../long-form.ts';

interface Call {
  readonly id: string;
  readonly tool: string;
  /** How many runs end before the host answers; undefined: nothing is asked. */
  readonly parkings: number | undefined;
  readonly isDenied: boolean;
}

type Session = readonly (readonly Call[])[];

const TOOLS = ['ReadFree', 'ReadAsked', 'WriteFree', 'WriteAsked'];
const pick = <T>(of: readonly T[], random: () => number): T => of[Math.floor(random() * of.length)] as T;

function generated(random: () => number): Session {
  const turns = 1 + Math.floor(random() * 3);
  return Array.from({ length: turns }, (_, turn) =>
    Array.from({ length: 1 + Math.floor(random() * 4) }, (_, at) => {
      const tool = pick(TOOLS, random);
      return {
        id: `toolu_${turn}_${at}`,
        tool,
        parkings: tool.endsWith('Asked') ? Math.floor(random() * 3) : undefined,
        isDenied: random() < 0.3,
      };
    }),
  );
}

/** The next turn of the session, as a function of what the model was sent. */
const script = (session: Session): ScriptStep[] =>
  Array.from({ length: session.length + 1 }, () => ({ view }: ModelRequest) => {
    const said = JSON.stringify([...view].map((item) => item.type === 'assistant' && item.message.content));
    const turn = session.find(([first]) => !said.includes(first?.id ?? ''));
    return turn === undefined
      ? say('Done.')
      : reply(turn.map(({ id, tool }) => callTool(tool, { of: id }, { id })));
  });

/** What the model was sent with the last request, without ids and times. */
const sent = ({ model }: Pick<Run, 'model'>): unknown =>
  [...(model.requests.at(-1)?.view ?? [])].map((item) => [
    item.type,
    item.type === 'attachment' ? item.rendered : item.message.content,
  ]);

async function played(session: Session, parks: boolean) {
  const life = lives();
  const calls = session.flat();
  const left = new Map(calls.map(({ id, parkings = 0 }) => [id, parks ? parkings : 0]));
  const written: unknown[] = [];
  const tools = TOOLS.map((name) =>
    fakeTool({
      name,
      concurrencySafe: name.startsWith('Read'),
      answer: ({ of }) => {
        if (name.startsWith('Write')) written.push(of);
        return `${String(of)} is done`;
      },
    }),
  );
  const askIds = new Map<string, Set<string>>();
  const canUseTool: CanUseTool = async (_, updatedInput, { askId, toolUseID }) => {
    askIds.set(toolUseID, (askIds.get(toolUseID) ?? new Set()).add(askId));
    const waits = left.get(toolUseID) ?? 0;
    left.set(toolUseID, waits - 1);
    if (waits > 0) return new Promise(() => {});
    const isDenied = calls.find(({ id }) => id === toolUseID)?.isDenied === true;
    return isDenied ? { behavior: 'deny', message: 'No.' } : { behavior: 'allow', updatedInput };
  };
  const options: Options = { canUseTool, allowedTools: TOOLS.filter((name) => name.endsWith('Free')) };
  const how = { script: script(session), tools, options };
  let run = await life.run({ ...how, prompt: 'Go.' });
  let runs = 1;
  let last = run;
  while (run.messages.at(-1)?.type !== 'result') {
    run = await life.run(how);
    runs += 1;
    if (run.model.requests.length > 0) last = run;
  }
  const result = resultIn(run);
  const { num_turns, terminal_reason, permission_denials } = result;
  const ids = [...askIds.values()].map(({ size }) => size);
  expect(
    ids.every((size) => size === 1),
    'one id for each question',
  ).toBe(true);
  return {
    runs,
    end: {
      sent: sent(last),
      text: 'result' in result && result.result,
      num_turns,
      terminal_reason,
      // They come in the order of the answers: a question that waited for a later run is answered last.
      permission_denials: permission_denials.toSorted((a, b) => a.tool_use_id.localeCompare(b.tool_use_id)),
      written,
    },
  };
}

it('has the same transcript, the same results and the same effects in the same order', {
  timeout: 300_000,
}, async () => {
  let parkings = 0;
  for (let seed = 1; seed <= propertyRuns(10, 100); seed += 1) {
    const session = generated(seededRandom(seed));
    const whole = await played(session, false);
    const inParts = await played(session, true);
    parkings += inParts.runs - 1;
    expect(inParts.end, `seed ${seed}: ${JSON.stringify(session)}`).toEqual(whole.end);
  }
  expect(parkings).toBeGreaterThan(10);
});

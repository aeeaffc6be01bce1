/**
 * The scripted session in parts of a few iterations, each played by a process of its own that carries on where the
 * one before it stood: what is killed late in the session need not play all of it first.
 */
import { cpSync, existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Ended } from './processes.ts';
import { PART_ITERATIONS, type Script } from './scripted-session.ts';
import type { Errand } from './session-process.ts';

export interface Part {
  /** The model request that it begins with, from 1. */
  readonly from: number;
  /** Calls that change the disk, those of the resume among them. */
  readonly calls: number;
  /** What the consumer had received before it began. */
  readonly acknowledged: readonly string[];
  /** The session's folder as it was then; undefined: there was none. */
  readonly copy: string | undefined;
}

/**
 * Plays the whole session once, copies its folder every `PART_ITERATIONS` model requests, and counts the calls of each part.
 * The script's folder is used up; parts hold its path, so each can only be played there.
 */
export async function inParts(
  script: Script,
  run: (errand: Errand) => Promise<Ended>,
): Promise<readonly Part[]> {
  const copies = { every: PART_ITERATIONS, into: `${script.folder}-copies` };
  const whole = await run({ script, copies });
  const began = [{ from: 1, acknowledged: [] as readonly string[] }, ...whole.copied];
  const parts: Part[] = [];
  for (const { from, acknowledged } of began) {
    const copy = from === 1 ? undefined : join(copies.into, String(from));
    const part = { from, acknowledged, copy };
    layOut(script, part);
    const { calls } = await run({ script, resume: from > 1, endAt: PART_ITERATIONS + 1 });
    parts.push({ ...part, calls: calls as number });
  }
  return parts;
}

/** Makes the script's folder what it was when this part began. */
export function layOut({ folder }: Script, { copy }: Pick<Part, 'copy'>): void {
  if (existsSync(folder)) rmSync(folder, { recursive: true });
  if (copy !== undefined) cpSync(copy, folder, { recursive: true });
}

/**
 * The scripted session in a process of its own. Argv: an `Errand` as JSON. Says `ack UUID` on its output for each
 * message that its consumer has received, `copied N` for each copy of its folder, `calls N` at its end, and ends by
 * SIGKILL at the call of the disk it was given.
 */
import fs from 'node:fs';
import { join } from 'node:path';
import { watchDiskCalls } from './disk-calls.ts';
import { lineOf } from './disk-trace.ts';
import type { Script } from './scripted-session.ts';

export interface Errand {
  readonly script: Script;
  readonly resume?: boolean;
  /** The number of the call at which the process is killed, from 1. */
  readonly killAt?: number;
  /** This part of the bytes of a killed write is written. */
  readonly part?: number;
  /** The folder is copied `into` a folder by the number of the request, before every n-th model request is answered. */
  readonly copies?: { readonly every: number; readonly into: string };
  /** The process ends at this model request of its own, from 1. */
  readonly endAt?: number;
  /** A file for all calls that change the disk, one `TraceLine` a line. */
  readonly trace?: string;
}

const {
  script,
  resume,
  killAt,
  part = 0,
  copies,
  endAt,
  trace,
} = JSON.parse(process.argv[2] ?? '') as Errand;
const { writeSync } = fs;
const tell = (line: string) => writeSync(1, `${line}\n`);
let calls = 0;
const traced = trace === undefined ? undefined : fs.openSync(trace, 'w');
const record = (line: unknown) => {
  if (traced !== undefined && line !== undefined) writeSync(traced, `${JSON.stringify(line)}\n`);
};

async function play(): Promise<void> {
  await watchDiskCalls(
    ({ name, args }) => {
      calls++;
      if (calls !== killAt) return;
      if (part > 0 && name === 'writeSync') {
        const bytes = Buffer.from(args[1] as string);
        writeSync(args[0] as number, bytes, 0, Math.floor(bytes.length * part));
      }
      process.kill(process.pid, 'SIGKILL');
      // It is dead before this returns; nothing may follow in any case.
      for (;;);
    },
    traced === undefined ? undefined : (call) => record(lineOf(call)),
  );

  // Behind the patches: some modules keep functions of the file system as they load.
  const { openScripted, PROMPT } = await import('./scripted-session.ts');
  const onRequest = (asked: number) => {
    if (asked === endAt) end();
    if (copies === undefined || asked === 1 || (asked - 1) % copies.every !== 0) return;
    fs.cpSync(script.folder, join(copies.into, String(asked)), { recursive: true });
    tell(`copied ${asked}`);
  };
  const { engine } = openScripted(script, { resume: resume === true, onRequest });
  const messages = resume === true ? engine.resume() : engine.submitMessage(PROMPT);
  for await (const message of messages) {
    if (message.type === 'result') record({ op: 'result' });
    if ('uuid' in message) tell(`ack ${message.type} ${message.uuid}`);
  }
  await engine.close();
  end();
}

function end(): void {
  tell(`calls ${calls}`);
  process.exit(0);
}

void play();

/** Folders that another program swaps for links while a sandbox is set up. */
import { spawn } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inShortAndLongForm } from '@turnwright/test/long-form.ts';
import { availability, CLOSED, lacking, NO_AFTERMATH, runIn } from '@turnwright/test/sandbox/support.ts';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { openSandbox, type Sandbox } from '../../src/sandbox/sandbox.ts';

const ROUNDS = inShortAndLongForm(6, 25);

let base: string;
let ws: string;
/** It can be seen, and not written. */
let closed: string;
beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), 'turnwright-race-'));
  onTestFinished(() => rmSync(base, { recursive: true, force: true, maxRetries: 10 }));
  ws = join(base, 'a work space');
  closed = join(base, 'other', 'closed');
  for (const folder of ['sub/.claude', 'docs/deep', '.claude'])
    mkdirSync(join(ws, folder), { recursive: true });
  mkdirSync(join(closed, '.claude'), { recursive: true });
  writeFileSync(join(closed, 'victim'), 'untouched');
  // Behind a link lies what grants, so that the folders on the way are mounts of their own.
  symlinkSync('../docs/deep/agents', join(ws, '.claude', 'agents'));
});

/** A sandbox whose isolating program does something first: after the disk was looked at, before anything is mounted. */
function sandboxAfter(first: string): Sandbox {
  if (!availability.available) throw new Error(availability.why);
  const { programs } = availability;
  const isolator = join(base, 'isolator');
  writeFileSync(isolator, `#!/bin/sh\ncd '${ws}'\n${first}\nexec ${programs.isolator} "$@"\n`);
  chmodSync(isolator, 0o755);
  const { platform, arch: architecture } = process;
  const policy = {
    ...CLOSED,
    writable: [ws, join(base, 'other')],
    deniedWrites: [{ root: '/', segments: [...closed.split('/').slice(1), '**'] }],
  };
  return openSandbox({
    platform,
    architecture,
    programs: { ...programs, isolator },
    policy: () => policy,
    aftermath: NO_AFTERMATH,
    warn: () => {},
  });
}

function expectUntouched(): void {
  // bubblewrap makes a folder to mount on where none is; it stays empty.
  if (existsSync(join(closed, 'agents'))) rmdirSync(join(closed, 'agents'));
  expect(readdirSync(closed).sort()).toEqual(['.claude', 'victim']);
  expect(readdirSync(join(closed, '.claude'))).toEqual([]);
  expect(readFileSync(join(closed, 'victim'), 'utf8')).toBe('untouched');
}

const STOPPED =
  /^The sandbox was not set up as planned, since \S.* changed meanwhile\. Nothing was run; try again\.$/m;
const CLOSED_FROM = { docs: '../other/closed', deep: '../../other/closed' };

describe.skipIf(lacking !== undefined)('a folder that is swapped for a link', () => {
  it('is unchanged without a swap', async () => {
    expect(await runIn(ws, 'echo x > ../other/closed/victim; echo ran', {}, sandboxAfter('true'))).toMatch(
      /Read-only file system\nran\n$/,
    );
  });

  it('stops the command before it starts where the folder may be written', async () => {
    const swap = `mv docs/deep docs/d; ln -s ${CLOSED_FROM.deep} docs/deep`;
    const said = await runIn(ws, 'echo x > docs/deep/victim; echo ran', {}, sandboxAfter(swap));
    expect(said).toMatch(STOPPED);
    expect(said).not.toContain('ran\n');
    expectUntouched();
  });

  it('stops the command before it starts where something protected lies in the folder', async () => {
    const back = '(sleep 0.5; rm sub; mv s sub) >/dev/null 2>&1 &';
    const swap = `mv sub s; ln -s ${CLOSED_FROM.docs} sub; ${back}`;
    const command = 'while [ -L sub ]; do sleep 0.02; done; mkdir sub/.claude/skills';
    expect(await runIn(ws, command, {}, sandboxAfter(swap))).toMatch(STOPPED);
    expect(existsSync(join(ws, 'sub/.claude/skills'))).toBe(false);
    expectUntouched();
  });

  it('again and again, opens nothing else', async () => {
    const swaps = `while :; do mv docs/deep docs/d; ln -s ${CLOSED_FROM.deep} docs/deep; rm docs/deep; mv docs/d docs/deep; mv sub s; ln -s ${CLOSED_FROM.docs} sub; rm sub; mv s sub; done`;
    // A group of its own: a mv that outlives its shell would move folders while they are removed.
    const swapper = spawn('sh', ['-c', swaps], { cwd: ws, stdio: 'ignore', detached: true });
    const ended = new Promise((resolve) => swapper.once('exit', resolve));
    const endSwaps = () => {
      if (swapper.exitCode === null && swapper.signalCode === null)
        process.kill(-Number(swapper.pid), 'SIGKILL');
    };
    onTestFinished(endSwaps);
    for (let i = 0; i < ROUNDS; i++) {
      const write =
        'for d in docs/deep docs/d sub s; do echo x > $d/planted; echo x > $d/victim; mkdir $d/.claude/skills; done';
      // A folder that is gone when it is looked at is an error, too, and nothing is run.
      await runIn(ws, `(${write}) 2>/dev/null`, {}, sandboxAfter('true')).catch(() => {});
    }
    endSwaps();
    await ended;
    expectUntouched();
  });
});

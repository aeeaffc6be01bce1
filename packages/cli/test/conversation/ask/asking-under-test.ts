/** Questions of a real session, put to a person by the asker: keys in, rows out, time by a virtual clock. */
import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { type Options, query, type SDKMessage } from '@turnwright/engine';
import type { KeyEvent } from '@turnwright/terminal/input/events.ts';
import type { Size } from '@turnwright/terminal/renderer/frame.ts';
import { createTheme } from '@turnwright/terminal/text/theme.ts';
import { virtualClock } from '@turnwright/testing';
import { type RehearsalServer, type Reply, startRehearsal } from '@turnwright/testing/rehearsal';
import { createAsker } from '../../../src/conversation/ask/asker.ts';
import type { OverlayHost, ViewDocument } from '../../../src/conversation/overlay.ts';
import { createOverlays } from '../../../src/conversation/overlays.ts';
import { liveRows, textColumns } from '../../../src/conversation/view/live-region.ts';
import { PATH_WITH_IDLE_NPM } from '../idle-npm.ts';

/** Longer than a question waits for silence, and then than the pause before a choice. */
const A_WHILE_MS = 1_300;

export interface Desk {
  readonly root: string;
  readonly cwd: string;
  /** What the person has typed into the editor. */
  readonly draft: () => string;
  /** Descriptions of the questions, in the order in which the session asked them. */
  readonly asked: string[];
  readonly printed: string[];
  /** The session as the questions see it. */
  readonly session: { readonly cwd: string; modeBeforePlan?: string };
  readonly views: ViewDocument[];
  readonly interrupts: () => number;
  /** Runs a session; resolves with its messages when it has ended. */
  run(replies: readonly Reply[], options?: Options): Promise<readonly SDKMessage[]>;
  /** Waits until a question is open, then advances past the silence it waits for. */
  question(): Promise<void>;
  /** Presses keys one after the other, each after a pause: `1`, `down`, `ctrl+o`; `'text` types the text. */
  press(...keys: readonly string[]): Promise<void>;
  /** One key, after `afterMs`. */
  key(name: string, afterMs: number): Promise<void>;
  paste(text: string): Promise<void>;
  /** Waits until the rows hold this text. */
  shows(text: string): Promise<void>;
  /** The rows that the question has in a window of this size. */
  rows(size?: Size): readonly string[];
  write(file: string, content: unknown): Promise<void>;
  close(): Promise<void>;
}

export const SIZES: Readonly<Record<string, Size>> = {
  '80x24': { columns: 80, rows: 24 },
  '120x40': { columns: 120, rows: 40 },
  '40x24': { columns: 40, rows: 24 },
};

export async function openDesk(): Promise<Desk> {
  const server: RehearsalServer = await startRehearsal();
  const root = await realpath(await mkdtemp(join(tmpdir(), 'turnwright-desk-')));
  const cwd = join(root, 'proj');
  await mkdir(join(cwd, 'src'), { recursive: true });
  const clock = virtualClock();
  const theme = createTheme('none');
  const asked: string[] = [];
  const printed: string[] = [];
  const views: ViewDocument[] = [];
  let draft = '';
  let lastKeyMs: number | undefined;
  let interrupts = 0;
  const host: Omit<OverlayHost, 'open'> = {
    theme,
    clock,
    invalidate: () => undefined,
    typing: () => ({ lastKeyMs, draftIsEmpty: draft === '' }),
    view: async (document) => void views.push(document),
  };
  const overlays = createOverlays(host);
  const session: Desk['session'] = { cwd };
  const asker = createAsker({
    theme,
    state: { session },
    home: root,
    open: overlays.open,
    print: (lines) => void printed.push(...lines),
    interrupt: () => {
      interrupts += 1;
    },
  });
  const env = {
    ANTHROPIC_BASE_URL: server.url,
    ANTHROPIC_API_KEY: 'k',
    PATH: PATH_WITH_IDLE_NPM,
    TURNWRIGHT_HOME: join(root, '.turnwright'),
    HOME: root,
  };
  const send = async (event: KeyEvent) => {
    const taken = overlays.onEvent(event);
    lastKeyMs = event.atMs;
    if (!taken && event.name === 'enter') draft = '';
    if (!taken && event.name === 'backspace') draft = draft.slice(0, -1);
    if (!taken && event.text !== undefined) draft += event.text;
    await rest();
  };
  /** Lets promises and real files settle. */
  const rest = async () => {
    for (let at = 0; at < 5; at++) await new Promise((resolve) => setImmediate(resolve));
  };
  const desk: Desk = {
    root,
    cwd,
    draft: () => draft,
    asked,
    printed,
    session,
    views,
    interrupts: () => interrupts,
    async run(replies, options = {}) {
      server.setScenario({ name: 'desk', replies: [...replies] });
      const messages: SDKMessage[] = [];
      const running = query({
        prompt: 'Go.',
        options: {
          cwd,
          env,
          persistSession: false,
          settingSources: ['user', 'project', 'local'],
          ...asker,
          canUseTool: (...question) => {
            asked.push(question[2].description ?? question[0]);
            return asker.canUseTool(...question);
          },
          ...options,
        },
      });
      try {
        for await (const message of running) messages.push(message);
      } catch {
        // An interrupted turn ends the stream with its error result.
      }
      return messages;
    },
    async question() {
      for (let waits = 0; overlays.current === undefined; waits++) {
        if (waits > 2_000) throw new Error('No question was asked.');
        await new Promise((resolve) => setTimeout(resolve, 2));
      }
      await clock.advance(A_WHILE_MS);
    },
    async press(...keys) {
      for (const key of keys) {
        await clock.advance(A_WHILE_MS);
        if (key.startsWith("'"))
          for (const char of key.slice(1)) await send(keyOf(char, clock.monotonicMs()));
        else await send(keyOf(key, clock.monotonicMs()));
      }
    },
    async key(name, afterMs) {
      await clock.advance(afterMs);
      await send(keyOf(name, clock.monotonicMs()));
    },
    async paste(text) {
      const event = { kind: 'paste', text, atMs: clock.monotonicMs() } as const;
      if (!overlays.onEvent(event)) draft += text;
      lastKeyMs = event.atMs;
      await rest();
    },
    async shows(text) {
      const now = () => desk.rows().join(' ').replaceAll(/\s+/g, ' ');
      for (let waits = 0; !now().includes(text); waits++) {
        if (waits > 2_000) throw new Error(`“${text}” is not shown, but: ${now()}`);
        await new Promise((resolve) => setTimeout(resolve, 2));
      }
    },
    rows(size = SIZES['80x24'] as Size) {
      const room = { columns: textColumns(size), rows: liveRows(size) - 2 };
      return overlays.current?.frame(room).rows ?? [];
    },
    async write(file, content) {
      const path = join(root, file);
      await mkdir(dirname(path), { recursive: true });
      await writeFile(path, typeof content === 'string' ? content : JSON.stringify(content));
    },
    async close() {
      overlays.closeAll();
      await server.close();
      await rm(root, { recursive: true, force: true });
    },
  };
  return desk;
}

/** `a`, `1`, `enter`, `ctrl+o`, `alt+a`. */
export function keyOf(written: string, atMs: number): KeyEvent {
  const [, ctrl, alt, name = ''] = /^(ctrl\+)?(alt\+)?(.+)$/s.exec(written) ?? [];
  const plain = ctrl === undefined && alt === undefined;
  const text = name === 'space' ? ' ' : name.length === 1 ? name : undefined;
  return {
    kind: 'key',
    name: name === ' ' ? 'space' : name,
    ...(plain && text !== undefined && { text }),
    ctrl: ctrl !== undefined,
    alt: alt !== undefined,
    shift: false,
    atMs,
  };
}

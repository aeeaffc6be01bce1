/** Commands of the conversation on a real session: `query()`, a rehearsed model, and keys from a list. */
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Options, type Query, query, type SDKMessage } from '@turnwright/engine';
import type { InputEvent } from '@turnwright/terminal/input/events.ts';
import { createTheme } from '@turnwright/terminal/text/theme.ts';
import { type RehearsalServer, type Reply, startRehearsal } from '@turnwright/testing/rehearsal';
import type {
  ConversationCommandContext,
  ReopenTarget,
  StatusLineChoice,
} from '../../../packages/cli/src/conversation/command-context.ts';
import { completeCommand, runSlashCommand } from '../../../packages/cli/src/conversation/commands/index.ts';
import type { ListOverlay } from '../../../packages/cli/src/conversation/commands/list.ts';
import { questionOverlay } from '../../../packages/cli/src/conversation/commands/question.ts';
import {
  type ConversationState,
  startingState,
} from '../../../packages/cli/src/conversation/conversation-state.ts';
import type {
  Overlay,
  OverlayHost,
  OverlayOf,
  ViewDocument,
} from '../../../packages/cli/src/conversation/overlay.ts';
import type { ThemeSetting } from '../../../packages/cli/src/conversation/screen/screen-settings.ts';
import { prompt as promptOf, pushable } from '../../sdk/query-under-test.ts';

const THEME = createTheme('none');

/** The clock of the commands: ages in lists are those of this moment. */
const AN_HOUR_LATER_MS = 3_600_000;

export interface Harness {
  readonly cwd: string;
  readonly home: string;
  readonly env: Readonly<Record<string, string>>;
  readonly server: RehearsalServer;
  readonly query: Query;
  /** What commands have printed. */
  readonly printed: string[];
  /** Lines of commands that were shown before what they print. */
  readonly echoed: string[];
  /** The first frame of each overlay, as text. */
  readonly screens: string[];
  readonly views: ViewDocument[];
  readonly sent: string[];
  readonly drafts: string[];
  readonly reopened: ReopenTarget[];
  readonly openedFiles: string[];
  readonly emitted: string[];
  /** Themes that were set. */
  readonly themes: ThemeSetting[];
  readonly statusLines: StatusLineChoice[];
  readonly state: { current: ConversationState };
  readonly context: ConversationCommandContext;
  /** Asks the model and resolves with the end of the turn. */
  ask(text: string, replies: readonly Reply[]): Promise<SDKMessage | undefined>;
  /**
   * Runs a command line. `keys` go to its overlays, one after the other: `enter`, `down`, `escape`; `'text` types
   * the text. An overlay that gets no more keys is left with Esc.
   */
  run(line: string, keys?: readonly string[]): Promise<boolean>;
  complete(text: string): Promise<readonly string[]>;
  close(): Promise<void>;
}

export interface HarnessOptions {
  readonly columns?: number;
  readonly rows?: number;
  readonly options?: Options;
  /** `HOME` is the configuration home, so that paths in it are short. */
  readonly hasHome?: boolean;
  /** Without a key in the environment. */
  readonly hasNoKey?: boolean;
  /** Made before the session begins: files of the project, by path. */
  readonly prepare?: (place: Pick<Harness, 'cwd' | 'home' | 'server'>) => Promise<void>;
}

export async function commandsUnderTest({
  columns = 80,
  rows = 24,
  options: given = {},
  hasNoKey = false,
  hasHome = false,
  prepare,
}: HarnessOptions = {}): Promise<Harness> {
  const server = await startRehearsal();
  const folder = await mkdtemp(join(tmpdir(), 'turnwright-commands-'));
  const [home, cwd] = [join(folder, 'home'), join(folder, 'work')];
  await mkdir(cwd);
  await mkdir(home);
  await prepare?.({ cwd, home, server });
  const key = hasNoKey ? undefined : { ANTHROPIC_API_KEY: 'k' };
  const env = {
    ANTHROPIC_BASE_URL: server.url,
    ...key,
    TURNWRIGHT_HOME: home,
    PATH: '',
    ...(hasHome && { HOME: home }),
  };
  const { input, push, end } = pushable();
  const options: Options = {
    cwd,
    env,
    tools: [],
    settingSources: ['user', 'project', 'local'],
    projectTrusted: true,
    enableFileCheckpointing: true,
    ...given,
  };
  const running = query({ prompt: input, options });
  const results: ((result: SDKMessage) => void)[] = [];
  const state = { current: startingState(0, { cwd }) };
  state.current = { ...state.current, phase: 'idle' };
  const drained = (async () => {
    for await (const message of running) {
      if (message.type === 'system' && message.subtype === 'init')
        state.current = {
          ...state.current,
          session: { ...state.current.session, id: message.session_id, model: message.model },
        };
      if (message.type === 'result') results.shift()?.(message);
    }
  })().catch(() => undefined);

  let keys: string[] = [];
  const size = { columns, rows };
  const screens: string[] = [];
  const views: ViewDocument[] = [];
  const clock = {
    monotonicMs: () => 0,
    nowMs: () => Date.now() + AN_HOUR_LATER_MS,
    timer: () => () => {},
    sleep: async () => {},
  };
  const host: OverlayHost = {
    theme: THEME,
    clock,
    invalidate: () => {},
    typing: () => ({ lastKeyMs: undefined, draftIsEmpty: true }),
    open: (overlay) => open(overlay),
    view: async (document) => void views.push(document),
  };
  async function open<T>(overlay: OverlayOf<T>): Promise<T | undefined> {
    const shown = overlay(host);
    await (overlay as Partial<ListOverlay<T>>).list?.later?.items.catch(() => undefined);
    const { rows: lines } = shown.frame(size);
    screens.push(lines.join('\n'));
    return drive(shown);
  }
  async function drive<T>(overlay: Overlay<T>): Promise<T | undefined> {
    let isClosed = false;
    void overlay.closed.then(() => {
      isClosed = true;
    });
    while (!isClosed) {
      for (const event of eventsOf(keys.shift() ?? 'escape')) overlay.onEvent(event);
      overlay.frame(size);
      await Promise.resolve();
    }
    return overlay.closed;
  }

  const printed: string[] = [];
  const echoed: string[] = [];
  const sent: string[] = [];
  const drafts: string[] = [];
  const reopened: ReopenTarget[] = [];
  const openedFiles: string[] = [];
  const emitted: string[] = [];
  const themes: ThemeSetting[] = [];
  const statusLines: StatusLineChoice[] = [];
  const context: ConversationCommandContext = {
    query: running,
    options,
    cwd,
    env,
    theme: THEME,
    get themeSetting() {
      return themes.at(-1) ?? 'auto';
    },
    setTheme: (setting) => void themes.push(setting),
    get statusLine() {
      return statusLines.at(-1) ?? { statusLine: undefined, statusParts: undefined };
    },
    setStatusLine: (choice) => void statusLines.push(choice),
    askSecret: (title) => open(questionOverlay({ title, isSecret: true })),
    clock,
    columns: Math.min(columns - 1, 100),
    get state() {
      return state.current;
    },
    echo: (line) => void echoed.push(line),
    print: (lines) => void printed.push(...lines),
    open,
    view: async (document) => void views.push(document),
    transcript: () => ({ title: '', parts: [] }),
    send: (text) => void sent.push(text),
    edit: (draft) => void drafts.push(draft),
    openFile: async (path) => void openedFiles.push(path),
    reopen: async (target) => void reopened.push(target),
    queue: {
      remove: async (number) => {
        const { queue } = state.current;
        state.current = { ...state.current, queue: queue.toSpliced(number - 1, 1) };
        return queue[number - 1]?.text;
      },
      move: async (from, to) => {
        const [moved] = state.current.queue.slice(from - 1, from);
        if (moved === undefined) return false;
        const queue = state.current.queue.toSpliced(from - 1, 1).toSpliced(to - 1, 0, moved);
        state.current = { ...state.current, queue };
        return true;
      },
      replace: async (number, text) => {
        const { queue } = state.current;
        const old = queue[number - 1];
        if (old === undefined) return false;
        state.current = { ...state.current, queue: queue.with(number - 1, { ...old, text }) };
        return true;
      },
    },
    emit: (sequence) => void emitted.push(sequence),
    exit: () => void sent.push('(exit)'),
  };

  return {
    cwd,
    home,
    env,
    server,
    query: running,
    printed,
    echoed,
    screens,
    views,
    sent,
    drafts,
    reopened,
    openedFiles,
    emitted,
    themes,
    statusLines,
    state,
    context,
    ask(text, replies) {
      server.setScenario({ name: 'test', replies });
      const result = new Promise<SDKMessage>((resolve) => results.push(resolve));
      push(promptOf(text));
      return result;
    },
    run(line, pressed = []) {
      keys = [...pressed];
      return runSlashCommand(line, context);
    },
    complete: async (text) => (await completeCommand(text, context)).map((each) => each.text),
    async close() {
      end();
      await running.close();
      await drained;
      await server.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** `'abc` types three letters; anything else is the name of a key, with `ctrl+` in front of it or not. */
export function eventsOf(key: string): readonly InputEvent[] {
  if (key.startsWith("'")) return [...key.slice(1)].map((text) => event(text, { text }));
  const ctrl = key.startsWith('ctrl+');
  return [event(ctrl ? key.slice('ctrl+'.length) : key, { ctrl })];
}

function event(name: string, more: { readonly text?: string; readonly ctrl?: boolean }): InputEvent {
  return { kind: 'key', name, ctrl: false, alt: false, shift: false, atMs: 0, ...more };
}

/** The editor of prompts, with what it completes and remembers. */
import { configurationHome, type Query } from '@turnwright/engine';
import { clipboardImage } from '@turnwright/terminal/editor/clipboard.ts';
import type { Candidate } from '@turnwright/terminal/editor/completion.ts';
import { createImageFiles } from '@turnwright/terminal/editor/dropped-images.ts';
import { createEditor, type Editor } from '@turnwright/terminal/editor/editor.ts';
import { historyFile, openHistory } from '@turnwright/terminal/editor/prompt-history.ts';
import { commandSource, fileSource, shellPathSource } from '@turnwright/terminal/editor/sources.ts';
import type { Theme } from '@turnwright/terminal/text/theme.ts';
import type { Env } from '../../world.ts';
import type { ViewDocument } from '../overlay.ts';
import { createNamedMentions } from '../session/named-mentions.ts';

interface PromptEditorOptions {
  readonly cwd: string;
  readonly env: Env;
  /** False: prompts are remembered as long as the process lives. */
  readonly isKept: boolean;
  query(): Query;
  /** What a command line may be completed to. */
  complete(line: string): Promise<readonly Candidate[]>;
  /** Shown while there is no text. */
  placeholder(): string;
  onProblem(sentence: string): void;
}

/** Makes the editor, once the history was read. */
export type MakeEditor = (screen: { readonly theme: Theme; onChange(): void }) => Editor;

export async function promptEditor(options: PromptEditorOptions): Promise<MakeEditor> {
  const { cwd, env, isKept, onProblem } = options;
  const home = configurationHome(env, cwd);
  const file = isKept && home !== undefined ? historyFile(home, cwd) : undefined;
  const history = await openHistory({ file, nowMs: Date.now, onProblem });
  const suggest = (query: string) => options.query().fileSuggestions(query);
  const images = createImageFiles(cwd, env['HOME']);
  const named = createNamedMentions(options.query, () => performance.now());
  return ({ theme, onChange }) =>
    createEditor({
      theme,
      history,
      sources: [commandSource(options.complete), fileSource(suggest, named), shellPathSource(suggest)],
      images: { named: images.named, clipboard: () => clipboardImage({ platform: process.platform, env }) },
      placeholder: options.placeholder,
      onChange,
      onProblem,
    });
}

/** What Ctrl+O shows: the transcript, and behind it the long pastes of the draft. */
export function withPastes(document: ViewDocument, { pastes }: Pick<Editor, 'pastes'>): ViewDocument {
  const parts = pastes.map(({ label, text }) => ({ heading: label, lines: text.split('\n'), folded: true }));
  return { ...document, parts: [...document.parts, ...parts] };
}

/** What a person has answered, for the session and for the transcript. */
import type { PermissionResult, PermissionUpdate } from '@turnwright/engine';
import { clean } from '@turnwright/terminal/text/clean.ts';
import { denial, writeRule } from '../../words/answers.ts';
import { modeName } from '../../words/mode-name.ts';
import { shortPath } from '../../words/tool-label.ts';
import { answer, type KeyOutcome } from './dialog-page.ts';
import type { Drawing } from './explanation-rows.ts';

/** An answer, with the words of its line in the transcript. */
export interface WordedDecision {
  readonly result: PermissionResult;
  /** `allowed once`, `denied: use pnpm` */
  readonly words: string;
  /** Escape: the turn ends too. */
  readonly interrupts: boolean;
}

export const decided = (result: PermissionResult, words: string): KeyOutcome<WordedDecision> =>
  answer({ result, words, interrupts: false });

/** Escape: no, and the turn ends. */
export function denyAndInterrupt(): KeyOutcome<WordedDecision> {
  return answer({
    result: { ...denial(''), interrupt: true },
    words: 'denied, and interrupted',
    interrupts: true,
  });
}

export const denied = (words: string): KeyOutcome<WordedDecision> =>
  decided(denial(words), words === '' ? 'denied' : `denied: ${words}`);

/** A rule that is offered for a file holds for the session as well. */
export function forSession(update: PermissionUpdate): PermissionUpdate {
  return { ...update, destination: 'session' };
}

export const formatUpdates = (updates: readonly PermissionUpdate[], drawing: Drawing): string =>
  updates.map((update) => formatUpdate(update, drawing)).join(', ');

/** Whether it opens a folder outside of the workspace. */
export function reachesOutside(update: PermissionUpdate, { cwd }: Pick<Drawing, 'cwd'>): boolean {
  return (
    'directories' in update && update.directories.some((each) => each !== cwd && !each.startsWith(`${cwd}/`))
  );
}

/** A rule as it would be written; a folder or a mode in words. */
export function formatUpdate(update: PermissionUpdate, drawing: Drawing): string {
  switch (update.type) {
    case 'setMode':
      return `the mode ${modeName(update.mode)}`;
    case 'addDirectories':
    case 'removeDirectories':
      return update.directories
        .map((each) =>
          each === drawing.cwd ? 'edits in the workspace' : `edits in ${shortPath(each, drawing)}`,
        )
        .join(', ');
    default:
      return update.rules.map((rule) => clean(writeRule(rule))).join(', ');
  }
}

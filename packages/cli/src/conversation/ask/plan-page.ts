/** ExitPlanMode: the plan, and whether the work may begin. */
import type { PermissionUpdate } from '@turnwright/engine';
import type { Row } from '@turnwright/terminal/renderer/frame.ts';
import { textRows } from '../../words/call-rows.ts';
import { viewHint } from './dialog-keys.ts';
import { type DialogPage, goTo, UNWRAPPED } from './dialog-page.ts';
import { type Drawing, keyRows } from './explanation-rows.ts';
import { reasonPage } from './permission-dialog.ts';
import { decided, denyAndInterrupt, type WordedDecision } from './worded-decision.ts';

const ACCEPT_EDITS: PermissionUpdate = { type: 'setMode', mode: 'acceptEdits', destination: 'session' };

/** `plan`: its rows, for a width. */
export function planPage(
  plan: (columns: number) => readonly Row[],
  source: string,
  { theme, keys }: Pick<Drawing, 'theme' | 'keys'>,
): DialogPage<WordedDecision> {
  const page: DialogPage<WordedDecision> = {
    title: 'Plan: shall the work begin?',
    body: plan,
    foot: (columns) =>
      keyRows(
        [
          '1 yes',
          '2 yes, and accept edits',
          '3 no, go on planning',
          '4 no, and say what to change',
          'Esc no, and interrupt',
          ...viewHint(keys),
        ],
        columns,
        theme,
      ),
    document: () => ({ title: 'Plan', parts: [{ heading: 'Plan', lines: textRows(source, UNWRAPPED, '') }] }),
    choices: {
      '1': () => decided({ behavior: 'allow' }, 'plan approved'),
      '2': () =>
        decided(
          { behavior: 'allow', updatedPermissions: [ACCEPT_EDITS] },
          'plan approved, edits are accepted',
        ),
      '3': () => keepPlanning(''),
      '4': () => goTo(reasonPage(page, keepPlanning)),
    },
    escape: () => denyAndInterrupt(),
  };
  return page;
}

function keepPlanning(words: string) {
  const why = words === '' ? '' : ` They say: ${words}`;
  return decided(
    {
      behavior: 'deny',
      message: `The user does not approve this plan yet; stay in plan mode and revise it.${why}`,
    },
    words === '' ? 'plan not approved' : `plan not approved: ${words}`,
  );
}

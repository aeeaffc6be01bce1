/** ExitPlanMode: the plan, and whether the work may begin. */
import type { PermissionUpdate } from '@turnwright/engine';
import type { Row } from '@turnwright/terminal/renderer/frame.ts';
import { approvePlan } from '../../words/answers.ts';
import { textRows } from '../../words/call-rows.ts';
import { viewHint } from './dialog-keys.ts';
import { type DialogPage, goTo, UNWRAPPED } from './dialog-page.ts';
import { type Drawing, keyRows } from './explanation-rows.ts';
import { markChoices } from './marked-choices.ts';
import { reasonPage } from './permission-dialog.ts';
import { decided, denyAndInterrupt, type WordedDecision } from './worded-decision.ts';

const ACCEPT_EDITS: PermissionUpdate = { type: 'setMode', mode: 'acceptEdits', destination: 'session' };

/** `plan`: its rows, for a width; `before`: the mode before plan mode. */
export function planPage(
  plan: (columns: number) => readonly Row[],
  source: string,
  before: string | undefined,
  { theme, keys }: Pick<Drawing, 'theme' | 'keys'>,
): DialogPage<WordedDecision> {
  const acceptEdits = { behavior: 'allow', updatedPermissions: [ACCEPT_EDITS] } as const;
  const marked = markChoices<WordedDecision>([
    { key: '1', label: 'yes', take: () => decided(approvePlan(before), 'plan approved') },
    {
      key: '2',
      label: 'yes, and accept edits',
      take: () => decided(acceptEdits, 'plan approved, edits are accepted'),
    },
    { key: '3', label: 'no, go on planning', take: () => keepPlanning('') },
    {
      key: '4',
      label: 'no, and say what to change',
      take: () => goTo(reasonPage(page, keepPlanning)),
    },
  ]);
  const page: DialogPage<WordedDecision> = {
    title: 'Plan: shall the work begin?',
    body: plan,
    foot: (columns) =>
      keyRows([...marked.hints(), 'Esc no, and interrupt', ...viewHint(keys)], columns, theme),
    document: () => ({ title: 'Plan', parts: [{ heading: 'Plan', lines: textRows(source, UNWRAPPED, '') }] }),
    ...marked,
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

/** Values that hosts compare with. */

export { NOT_CONFIGURED } from '../engine/models/unreachable-model.ts';

/** Why a session ended, as SessionEnd hooks receive it. */
export const EXIT_REASONS = ['clear', 'resume', 'logout', 'prompt_input_exit', 'other'] as const;

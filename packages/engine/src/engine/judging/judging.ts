/** The judge of a session, made by the first question in the mode `auto`. */
import type { JudgeRecord } from '../../protocol/session/journal.ts';
import type { AutoMode, JudgeVerdict } from '../../protocol/tools/auto-mode.ts';
import type { AskedQuestion } from '../../protocol/tools/gate-ports.ts';
import type { PermissionMode } from '../../protocol/tools/permission.ts';
import type { SessionRef } from '../session/session-ref.ts';
import type { SessionJudge } from './session-judge.ts';

interface JudgingPorts {
  readonly autoMode: AutoMode | undefined;
  readonly ref: SessionRef;
  readonly permissions: { readonly mode: PermissionMode };
}

export class Judging {
  readonly #ports: JudgingPorts;
  #earlier: readonly JudgeRecord[] = [];
  #judge: SessionJudge | undefined;

  constructor(ports: JudgingPorts) {
    this.#ports = ports;
  }

  /** What the judge said in earlier processes of the session. */
  restore(earlier: readonly JudgeRecord[]): void {
    this.#earlier = earlier;
  }

  /** A person has answered a question. */
  answered(): void {
    this.#judge?.answered();
  }

  /** undefined: the call is not for the judge. */
  ask(asked: AskedQuestion, signal: AbortSignal): Promise<JudgeVerdict | undefined> | undefined {
    const { permissions } = this.#ports;
    // An agent's mode is never wider, but for `auto` in a session without any question.
    if (permissions.mode !== 'auto' && asked.mode !== 'auto') return undefined;
    return this.#ask(asked, signal);
  }

  async #ask(asked: AskedQuestion, signal: AbortSignal): Promise<JudgeVerdict | undefined> {
    const { autoMode = {}, ref } = this.#ports;
    const { SessionJudge } = await import('./session-judge.ts');
    this.#judge ??= new SessionJudge(autoMode, this.#earlier, ref.session);
    return this.#judge.judge(asked, signal);
  }
}

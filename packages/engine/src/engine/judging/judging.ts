/** The judge of a session, made by the first question in the mode `auto`. */
import type { JudgeRecord } from '../../protocol/session/journal.ts';
import type { JudgeVerdict } from '../../protocol/tools/auto-mode.ts';
import type { AskedQuestion } from '../../protocol/tools/gate-ports.ts';
import type { PermissionMode } from '../../protocol/tools/permission.ts';

export interface CallJudge {
  /** undefined: the call is not for it. */
  judge(asked: AskedQuestion, signal: AbortSignal): Promise<JudgeVerdict | undefined>;
  /** A person has decided about a call. */
  answered(): void;
}

interface JudgingPorts {
  readonly permissions: { readonly mode: PermissionMode };
  make(earlier: readonly JudgeRecord[]): Promise<CallJudge>;
}

export class Judging {
  readonly #ports: JudgingPorts;
  #earlier: readonly JudgeRecord[] = [];
  #judge: Promise<CallJudge> | undefined;

  constructor(ports: JudgingPorts) {
    this.#ports = ports;
  }

  /** What the judge said in earlier processes of the session. */
  restore(earlier: readonly JudgeRecord[]): void {
    this.#earlier = earlier;
  }

  async answered(): Promise<void> {
    (await this.#judge)?.answered();
  }

  /** undefined: the call is not for the judge. */
  ask(asked: AskedQuestion, signal: AbortSignal): Promise<JudgeVerdict | undefined> | undefined {
    if (this.#ports.permissions.mode !== 'auto' && asked.mode !== 'auto') return undefined;
    this.#judge ??= this.#ports.make(this.#earlier);
    return this.#judge.then((judge) => judge.judge(asked, signal));
  }
}

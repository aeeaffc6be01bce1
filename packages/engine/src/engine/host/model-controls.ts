/** The model of a running session, as a host changes it. */
import type { ThinkingConfig } from '../../protocol/model/wire.ts';
import type { Session } from '../session/session.ts';

export class ModelControls {
  readonly #session: Session;

  constructor(session: Session) {
    this.#session = session;
  }

  /**
   * From the next request on; undefined: the default model. Rejects with `unpriced_model` under a USD budget,
   * and with `blocked_by_hook` where a hook refuses it; the model is then as it was.
   */
  async switchTo(model?: string): Promise<void> {
    const { switchModel } = await import('../models/switch-model.ts');
    await switchModel(model, 'sdk', this.#session);
  }

  /** From the next submission on; undefined: as configured. */
  setThinking(thinking?: ThinkingConfig): void {
    this.#session.model.thinking = thinking;
  }

  /** From the next submission on; null: the provider's default. */
  setThinkingDisplay(display: 'summarized' | 'omitted' | null): void {
    this.#session.model.thinkingDisplay = display;
  }
}

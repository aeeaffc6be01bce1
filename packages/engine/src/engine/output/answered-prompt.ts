/** Which prompt a turn answers, as its messages name it. */

interface AnsweredPrompt {
  readonly user_message_uuid?: string;
  readonly user_message_uuids?: readonly string[];
}

/**
 * `own`: uuids of the prompts that began the turn; `joined`: of those that joined it while it ran. The turn
 * answers the last of its own, or the last that joined where its own have no uuid. Empty where no prompt has
 * one.
 */
export function answeredPrompt(own: readonly string[], joined: readonly string[] = []): AnsweredPrompt {
  const uuid = own.at(-1) ?? joined.at(-1);
  return uuid === undefined ? {} : { user_message_uuid: uuid, user_message_uuids: [...own, ...joined] };
}

/** Returns the prompt for the first message of a kind that answers it, and nothing for those that follow. */
export function createPromptStamp(prompt: () => AnsweredPrompt): () => AnsweredPrompt | undefined {
  let stamped: string | undefined;
  return () => {
    const answered = prompt();
    if (answered.user_message_uuid === stamped) return undefined;
    stamped = answered.user_message_uuid;
    return answered;
  };
}

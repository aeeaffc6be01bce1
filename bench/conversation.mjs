// The conversation of W2 through a `query()`, so that its session can be resumed.

/** Has it once. Returns the session's id; throws what the first result that failed says. */
export async function haveConversation(query, { options, exchanges, promptText }) {
  let answered = () => {};
  async function* prompts() {
    for (let k = 0; k < exchanges; k++) {
      const next = new Promise((resolve) => {
        answered = resolve;
      });
      yield { type: 'user', message: { role: 'user', content: promptText(k) }, parent_tool_use_id: null };
      await next;
    }
  }
  let sessionId;
  for await (const message of query({ prompt: prompts(), options })) {
    if (message.type !== 'result') continue;
    if (message.is_error)
      throw new Error(message.errors?.join() ?? message.result ?? 'The conversation failed.');
    sessionId = message.session_id;
    answered();
  }
  return sessionId;
}

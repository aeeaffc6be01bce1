// The history of W2: 1,000 exchanges, 2,000 messages of 2 KB each, no two alike.
const filler = 'The quick brown fox jumps over the lazy dog, and the dog does not mind. '.repeat(30);

export const HISTORY_EXCHANGES = 1000;
export const promptText = (k) => `Question ${k}. ${filler}`.slice(0, 2000);
export const answerText = (k) => `Answer ${k}. ${filler}`.slice(0, 2000);

/** As [{ role, text }], without the prompt of the measured call. */
export function history() {
  const messages = [];
  for (let k = 0; k < HISTORY_EXCHANGES; k++) {
    messages.push({ role: 'user', text: promptText(k) }, { role: 'assistant', text: answerText(k) });
  }
  return messages;
}

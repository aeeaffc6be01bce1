/** What lies behind an error of a client, as one line. */
export function describeRootCause(error: unknown): string {
  const said: string[] = [];
  for (let inner = error; inner instanceof Error; inner = inner.cause) {
    const line = inner.message.trim().split('\n', 1)[0] ?? '';
    if (line !== '' && !said.includes(line)) said.push(line);
  }
  // The clients wrap a cause in a sentence that says less than the cause.
  return (said.at(-1) ?? String(error)).replace(/\.$/, '');
}

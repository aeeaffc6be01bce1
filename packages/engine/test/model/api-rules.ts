/** What the Messages API demands of a conversation's structure, written down apart from the code under test. */
export interface WireBlock {
  readonly type: string;
  readonly [key: string]: unknown;
}
export interface WireTurn {
  readonly role: string;
  readonly content: readonly WireBlock[];
}

/** The rules a request breaks, in words; none means the API would take it. */
export function brokenRules(messages: readonly WireTurn[]): string[] {
  const broken: string[] = [];
  const demand = (holds: boolean, rule: string) => holds || broken.push(rule);
  const ids = new Set<string>();
  demand(messages[0]?.role === 'user', 'the first message is from the user');
  demand(messages.at(-1)?.role === 'user', 'the last message is from the user');
  messages.forEach((turn, at) => {
    const next = messages[at + 1];
    demand(turn.role !== next?.role, 'roles alternate');
    demand(turn.content.length > 0, 'no message is empty');
    const uses = turn.content
      .filter((block) => block.type === 'tool_use')
      .map((block) => String(block['id']));
    const results = turn.content
      .filter((block) => block.type === 'tool_result')
      .map((block) => String(block['tool_use_id']));
    if (turn.role === 'assistant') {
      const answers = (next?.content ?? [])
        .filter((block) => block.type === 'tool_result')
        .map((block) => block['tool_use_id']);
      demand(
        JSON.stringify(answers) === JSON.stringify(uses),
        'every call is answered once, in order, in the next message',
      );
      demand(!/thinking$/.test(turn.content.at(-1)?.type ?? ''), 'no answer ends with thinking');
      const last = turn.content.at(-1);
      if (last?.type === 'text')
        demand(String(last['text']) === String(last['text']).trimEnd(), 'no answer ends in white space');
    } else {
      demand(uses.length === 0, 'calls are the assistant’s');
      const firstOther = turn.content.findIndex((block) => block.type !== 'tool_result');
      demand(
        firstOther < 0 || turn.content.slice(firstOther).every((block) => block.type !== 'tool_result'),
        'results come first',
      );
      demand(results.length === 0 || messages[at - 1]?.role === 'assistant', 'results follow their calls');
    }
    for (const id of uses) {
      demand(/^[a-zA-Z0-9_-]+$/.test(id), 'ids are of the allowed alphabet');
      demand(!ids.has(id), 'ids are unique');
      ids.add(id);
    }
    for (const block of turn.content) {
      if (block.type === 'text') demand(String(block['text']).trim() !== '', 'no text is empty');
      if (block.type === 'tool_result')
        demand(block['content'] !== '' && JSON.stringify(block['content']) !== '[]', 'no result is empty');
      if (block.type === 'tool_use')
        demand(typeof block['input'] === 'object' && block['input'] !== null, 'input is an object');
    }
  });
  return broken;
}

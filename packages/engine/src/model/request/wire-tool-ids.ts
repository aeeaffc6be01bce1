/**
 * Ids of tool calls as the API accepts them: allowed characters, unique in the conversation (F06, F07). A
 * call and its result are renamed together, because both use the call's entry.
 */

/** The id in the API's alphabet; '' stays ''. */
export function wireToolId(id: string): string {
  return id.replace(/[^a-zA-Z0-9_-]/g, '_');
}

export interface ToolIds {
  /** The wire id of the next call in the conversation. The same calls in the same order get the same ids. */
  assign(id: string): string;
}

export function createToolIds(): ToolIds {
  const used = new Set<string>();
  return {
    assign(id) {
      const base = wireToolId(id) || 'call';
      let unique = base;
      for (let n = 2; used.has(unique); n++) unique = `${base}_${n}`;
      used.add(unique);
      return unique;
    },
  };
}

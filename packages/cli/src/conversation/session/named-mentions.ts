/** What `@` names beside files: agents, and resources of MCP servers. */
import type { AgentInfo, McpResource, Query } from '@turnwright/engine';
import type { Candidate } from '@turnwright/terminal/editor/completion.ts';

type Asked = Pick<Query, 'supportedAgents' | 'mcpResources'>;

/** Servers are asked again for their resources after this time. */
const LIST_AGE_MS = 5_000;

/** Those that match what is written behind the `@`, the best first. */
export function createNamedMentions(query: () => Asked, nowMs: () => number) {
  let known: readonly McpResource[] = [];
  let listing: { readonly atMs: number; readonly of: Asked; readonly done: Promise<void> } | undefined;
  const list = (): Promise<void> => {
    const of = query();
    if (listing === undefined || listing.of !== of || nowMs() - listing.atMs > LIST_AGE_MS) {
      const done = of.mcpResources().then(
        (resources) => {
          known = resources;
          // A server that connects yet has them soon.
          if (resources.length === 0) listing = undefined;
        },
        () => undefined,
      );
      listing = { atMs: nowMs(), of, done };
    }
    return listing.done;
  };
  return async (written: string): Promise<readonly Candidate[]> => {
    const listed = list();
    // Only who names a server waits for it: files must not.
    if (written.includes(':')) await listed;
    const agents = await query().supportedAgents();
    return [...agentCandidates(agents, written), ...resourceCandidates(known, written)];
  };
}

function agentCandidates(agents: readonly AgentInfo[], written: string): readonly Candidate[] {
  const wanted = written.toLowerCase().replace(/^agent-/, '');
  return agents
    .filter(({ name }) => name.toLowerCase().startsWith(wanted))
    .map(({ name, description }) => ({
      text: /\s/.test(name) ? `@"agent-${name}"` : `@agent-${name}`,
      label: `${name} (agent)`,
      detail: description,
    }));
}

function resourceCandidates(resources: readonly McpResource[], written: string): readonly Candidate[] {
  const wanted = written.toLowerCase();
  return resources
    .filter(({ server, uri, name }) => {
      const whole = `${server}:${uri}`.toLowerCase();
      return (
        whole.startsWith(wanted) || (wanted.length > 2 && `${whole} ${name.toLowerCase()}`.includes(wanted))
      );
    })
    .map(({ server, uri, name, description }) => {
      const whole = `${server}:${uri}`;
      return {
        text: /\s/.test(whole) ? `@"${whole}"` : `@${whole}`,
        label: whole,
        detail: description ?? name,
      };
    });
}

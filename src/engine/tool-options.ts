/** What is configured about tools beside the tools themselves. */

interface WebFetchOptions {
  /** Hosts (`wiki.corp`, `127.0.0.1:8080`) that may be read although only this network reaches them. Default none. */
  readonly privateHosts?: readonly string[] | undefined;
  /** Addresses of a host; default the system's resolver. */
  readonly resolve?:
    | ((host: string) => Promise<readonly { readonly address: string; readonly family: number }[]>)
    | undefined;
  /** ms for one page. Default 30 000. */
  readonly timeoutMs?: number | undefined;
}

export interface ToolOptions {
  /**
   * Built-in tools that need the session itself, by name: AskUserQuestion, EnterPlanMode, ExitPlanMode, Sleep,
   * WebFetch.
   * Default none.
   */
  sessionTools?: readonly string[] | undefined;
  /** Prompts can come in while a submission runs, so that Sleep is offered. Default: there is an inbox. */
  promptsWhileWorking?: boolean | undefined;
  /**
   * Share of the window (0 to 1) that the descriptions of MCP tools may take; beyond it requests carry their names
   * alone and ToolSearch loads them (F155). 0: always; 1: never. A function says it for a model. Default 0.1.
   */
  deferToolsAbove?: number | ((model: string) => number | undefined) | undefined;
  /** How WebFetch finds hosts. */
  webFetch?: WebFetchOptions | undefined;
  /** Where approved plans are written; default `plans` under `home`. */
  plansDirectory?: string | undefined;
}

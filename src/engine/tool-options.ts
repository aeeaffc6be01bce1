/** What is configured about tools beside the tools themselves. */

/** Settings of single built-in tools. */
export interface ToolConfig {
  readonly askUserQuestion?:
    | {
        /** What the previews of choices hold. Default `markdown`. */
        readonly previewFormat?: 'markdown' | 'html' | undefined;
      }
    | undefined;
}

export interface ToolOptions {
  /**
   * Built-in tools that need the session itself, by name: AskUserQuestion, EnterPlanMode, ExitPlanMode.
   * Default none.
   */
  sessionTools?: readonly string[] | undefined;
  /** Names that the model may call, and the tools that then run: one hop. Default none. */
  toolAliases?: Readonly<Record<string, string>> | undefined;
  toolConfig?: ToolConfig | undefined;
  /**
   * Share of the window (0 to 1) that the descriptions of MCP tools may take; beyond it requests carry their names
   * alone and ToolSearch loads them (F155). 0: always; 1: never. Default 0.1.
   */
  deferToolsAbove?: number | undefined;
  /** How to plan in plan mode, in place of the engine's own words. */
  planModeInstructions?: string | undefined;
  /** Where approved plans are written; default `plans` under `home`. */
  plansDirectory?: string | undefined;
}

/**
 * Deferred tools (F155): where the descriptions of many tools would fill the window, requests contain only
 * their names, in an attachment, and ToolSearch loads those that are needed. A loaded tool stays loaded.
 */

import { oncePer } from '@turnwright/base/collections/made-once.ts';
import type { WireTool } from '../protocol/model/wire.ts';
import type { AnyTool } from '../protocol/tools/tool.ts';

interface DeferralOptions {
  /**
   * Share of the window that deferrable tools may take before they are deferred. 0: always deferred; 1:
   * never.
   */
  shareOf(model: string): number;
  /** Tokens. */
  windowOf(model: string): number;
  /** Tools that can be deferred may come later. Default: none do. */
  expectsMore?(): boolean;
}

export interface DescribedTool {
  readonly tool: AnyTool;
  readonly wire: WireTool;
}

/** Estimated characters of a schema per token. */
const CHARS_PER_TOKEN = 3;

export class Deferral {
  readonly #options: DeferralOptions;
  /** In the order in which they were asked for. */
  #loaded: readonly string[] = [];
  #active = false;
  #version = 0;

  constructor(options: DeferralOptions) {
    this.#options = options;
  }

  /** Once on, it stays on: tools that come and go would invalidate the prompt cache each time. */
  get active(): boolean {
    return this.#active;
  }

  /** Changes with the set of offered tools. */
  get version(): number {
    return this.#version;
  }

  /** Tokens; the endpoint may report the size of a model late. */
  windowOf(model: string): number {
    return this.#options.windowOf(model);
  }

  /** Measures the available tools. */
  weigh(described: readonly DescribedTool[], model: string): void {
    const share = this.#options.shareOf(model);
    if (this.#active || share >= 1) return;
    // From the first request on: what comes later then changes nothing before the conversation.
    const expects = share <= 0 && this.#options.expectsMore?.() === true;
    if (expects || this.#outweighs(described, share * this.windowOf(model))) this.#activate();
  }

  #outweighs(described: readonly DescribedTool[], tokens: number): boolean {
    const deferrable = described.filter(({ tool }) => isDeferrable(tool));
    const chars = deferrable.reduce((sum, { wire }) => sum + JSON.stringify(wire).length, 0);
    return deferrable.length > 0 && chars / CHARS_PER_TOKEN > tokens;
  }

  #activate(): void {
    this.#active = true;
    this.#version++;
  }

  /** Omitted from requests now. */
  defers(tool: AnyTool): boolean {
    return this.#active && isDeferrable(tool) && !this.#loaded.includes(tool.name);
  }

  load(names: readonly string[]): void {
    const fresh = names.filter((name, at) => !this.#loaded.includes(name) && names.indexOf(name) === at);
    if (fresh.length === 0) return;
    this.#loaded = [...this.#loaded, ...fresh];
    this.#version++;
  }

  /** Index among the loaded tools, which follow the others, so that earlier bytes are unchanged. */
  rank(tool: AnyTool): number {
    if (!this.#active || !isDeferrable(tool)) return -1;
    return this.#loaded.indexOf(tool.name);
  }
}

export function isDeferrable({ name, loading }: AnyTool): boolean {
  return loading === undefined ? name.startsWith('mcp__') : loading === 'deferrable';
}

/** Of a tool that a search loaded. One object for a description, so that its JSON is made once. */
export const asLoaded = oncePer((wire: WireTool): WireTool => ({ ...wire, defer_loading: true }));

/** Skills in a session: looked for at each submission's start, told by name, loaded by the Skill tool or as `/name`. */

import { isAbsolute, resolve } from 'node:path';
import type { AttachmentSource } from '../../attachments/source.ts';
import type { CompactionSource } from '../../protocol/context.ts';
import type { AttachmentMessage } from '../../protocol/messages.ts';
import type { Clock, Ids } from '../../protocol/ports.ts';
import type { SlashCommandInfo } from '../../protocol/sdk-messages.ts';
import type { AnyTool } from '../../protocol/tool.ts';
import type { View } from '../../protocol/view.ts';
import type { SkillCatalogue } from '../../skills/catalogue.ts';
import { type ListingOptions, listingFor, listingLines } from '../../skills/listing.ts';
import type { LoadContext } from '../../skills/load-skill.ts';
import { loadedSkillsSource, skillListingSource } from '../../skills/restore.ts';
import { createSkillTool } from '../../skills/skill-tool.ts';
import { touchedSkills } from '../../skills/touched-skills.ts';
import type { QueryEngineConfig } from '../config.ts';

/** What a session's skills come from; made by `openSkills` before the engine is. */
export interface SkillSetup {
  readonly catalogue: SkillCatalogue;
  readonly listing: ListingOptions;
  /** false: the model gets no Skill tool and hears of no skill. */
  readonly offersTool: boolean;
}

export interface SkillsRoom {
  /** Names, for `system/init`. */
  readonly names: readonly string[];
  /** The Skill tool once there was a skill to load; the same array while nothing changed. */
  readonly tools: readonly AnyTool[];
  /** Folders of skills, whose files the model may read. */
  readonly readableDirectories: readonly string[];
  readonly attachmentSources: readonly AttachmentSource[];
  readonly compactionSources: readonly CompactionSource[];
  /** L1 phase 1: what was found before is looked at anew, beside everything else. */
  startSubmission(): void;
  /** L1 phase 4: what there is. A slow disk is not waited for: its skills are told later. */
  settled(): Promise<void>;
  /** What the model has to be told of skills now; undefined when the conversation says it already. */
  announce(view: View, contextWindow: number): AttachmentMessage | undefined;
  /** Takes back what skills allowed. */
  endSubmission(): void;
  reload(): Promise<readonly SlashCommandInfo[]>;
}

export interface SkillsParts {
  readonly clock: Clock;
  readonly ids: Ids;
  readonly files: LoadContext['files'];
  readonly sessionId: string;
  contextWindow(): number;
  /** Allows these rules until the returned function is called. */
  allow(rules: readonly string[]): () => void;
}

const NO_TOOLS: readonly AnyTool[] = Object.freeze([]);

export function composeSkills(config: QueryEngineConfig, parts: SkillsParts): SkillsRoom {
  const { skills } = config;
  if (skills === undefined) return NO_SKILLS;
  const { catalogue, listing } = skills;
  const { ids, clock, files, sessionId } = parts;
  const takeBack: (() => void)[] = [];
  let tools = NO_TOOLS;
  const restore = { ids, nowMs: () => clock.nowMs() };
  const offersTool = () => {
    if (!skills.offersTool || tools.length > 0) return;
    if (!catalogue.skills.some(({ modelInvocable }) => modelInvocable)) return;
    const allow = (rules: readonly string[]) => void takeBack.push(parts.allow(rules));
    tools = [createSkillTool({ catalogue, load: { files, sessionId }, ids, allow })];
  };
  const absolute = (path: string) => (isAbsolute(path) ? path : resolve(config.cwd, path));
  const touched = touchedSkills({ catalogue, listing, contextWindow: parts.contextWindow, absolute });
  const touchedSource: AttachmentSource = {
    name: touched.name,
    async collect(input) {
      const found = await touched.collect(input);
      if (found.length > 0) offersTool();
      return found;
    },
  };

  return {
    get names() {
      return catalogue.skills.map(({ name }) => name);
    },
    get tools() {
      return tools;
    },
    get readableDirectories() {
      return catalogue.skills.map(({ directory }) => directory);
    },
    attachmentSources: skills.offersTool ? [touchedSource] : [],
    compactionSources: [skillListingSource(restore), loadedSkillsSource(restore)],
    startSubmission() {
      void catalogue.refresh();
    },
    async settled() {
      await catalogue.settled();
      offersTool();
    },
    announce(view, contextWindow) {
      if (tools.length === 0) return undefined;
      const listed = listingFor(listingLines(catalogue.skills, contextWindow, listing), view);
      if (listed === undefined) return undefined;
      return {
        type: 'attachment',
        uuid: ids.uuid(),
        timestamp: new Date(clock.nowMs()).toISOString(),
        ...listed,
      };
    },
    endSubmission() {
      for (const undo of takeBack.splice(0)) undo();
    },
    async reload() {
      const found = await catalogue.refresh();
      offersTool();
      return found
        .filter(({ userInvocable }) => userInvocable)
        .map(({ name, description, argumentHint = '' }) => ({ name, description, argumentHint }));
    },
  };
}

const NO_SKILLS: SkillsRoom = {
  names: [],
  tools: NO_TOOLS,
  readableDirectories: [],
  attachmentSources: [],
  compactionSources: [],
  startSubmission() {},
  async settled() {},
  announce: () => undefined,
  endSubmission() {},
  reload: async () => [],
};

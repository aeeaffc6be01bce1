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
import type { Listed, ListingOptions } from '../../skills/listing.ts';
import { type LoadContext, loadSkill } from '../../skills/load-skill.ts';
import { loadedSkillsSource, skillListingSource } from '../../skills/restore.ts';
import { createSkillTool, SKILL_TOOL, type SkillToolPorts } from '../../skills/skill-tool.ts';
import { type ToldSkills, toldSkills } from '../../skills/told-skills.ts';
import type { Writable } from '../../util/writable.ts';
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
  names(): readonly string[];
  /** The Skill tool once there was a skill to load; the same array while nothing changed. */
  readonly tools: readonly AnyTool[];
  /** Folders of skills, whose files the model may read. */
  readableDirectories(): readonly string[];
  readonly attachmentSources: readonly AttachmentSource[];
  readonly compactionSources: readonly CompactionSource[];
  /** L1 phase 1: what was found before is looked at anew, beside everything else. */
  startSubmission(): void;
  /** L1 phase 4: what there is. A slow disk is not waited for: its skills are told later. */
  settled(): Promise<void>;
  /** What the model has to be told of skills now; undefined when the conversation says it already. */
  announce(view: View): AttachmentMessage | undefined;
  preload: PreloadSkills;
  /** The same for the conversation of an agent. */
  forAgent(world: SkillWorld): AgentSkills;
  /** Takes back what skills allowed. */
  endSubmission(): void;
  reload(): Promise<readonly SlashCommandInfo[]>;
}

/** What differs between the conversations that load skills. */
export type SkillWorld = Pick<SkillToolPorts, 'adopt' | 'shell'> & {
  contextWindow(): number;
  /** The agent can call the Skill tool. */
  isOffered(): boolean;
};

export interface AgentSkills {
  readonly source: AttachmentSource;
  announce(view: View): AttachmentMessage | undefined;
  /** The Skill tool as it works in this conversation; any other tool as it is. */
  own(tool: AnyTool): AnyTool;
  preload: PreloadSkills;
}

/** The texts of these skills, and a sentence for each that cannot be had. */
export type PreloadSkills = (names: readonly string[]) => Promise<{
  readonly texts: readonly string[];
  readonly problems: readonly string[];
}>;

export interface SkillsParts extends Pick<SkillToolPorts, 'adopt' | 'fork' | 'shell'> {
  readonly clock: Clock;
  readonly ids: Ids;
  readonly files: LoadContext['files'];
  readonly sessionId: string;
  contextWindow(): number;
  /** Ends with the session. */
  readonly signal: AbortSignal;
  /** Allows these rules until the returned function is called. */
  allow(rules: readonly string[]): Promise<() => void>;
}

const NO_TOOLS: readonly AnyTool[] = Object.freeze([]);

export function composeSkills(config: QueryEngineConfig, parts: SkillsParts): SkillsRoom {
  const { skills } = config;
  if (skills === undefined) return NO_SKILLS;
  const { catalogue, listing } = skills;
  const { ids, clock, files, sessionId } = parts;
  const takeBack: (() => void)[] = [];
  const restore = { ids, nowMs: () => clock.nowMs() };
  const allow = async (rules: readonly string[]) => void takeBack.push(await parts.allow(rules));
  const load = { files, sessionId };
  const toolPorts = { catalogue, load, ids, fork: parts.fork };
  const offersTool = () => {
    if (!skills.offersTool || room.tools.length > 0) return;
    if (!catalogue.skills.some(({ modelInvocable }) => modelInvocable)) return;
    room.tools = [createSkillTool({ ...toolPorts, allow, adopt: parts.adopt, shell: parts.shell })];
  };
  const absolute = (path: string) => (isAbsolute(path) ? path : resolve(config.cwd, path));
  const told = (world: Pick<SkillWorld, 'contextWindow' | 'isOffered'>): ToldSkills =>
    toldSkills({ ...world, catalogue, listing, absolute });
  const main = told({
    contextWindow: parts.contextWindow,
    isOffered() {
      offersTool();
      return room.tools.length > 0;
    },
  });
  const preloadBy =
    (shell: SkillToolPorts['shell']): PreloadSkills =>
    async (names) => {
      const texts: string[] = [];
      const problems: string[] = [];
      for (const name of names) {
        const skill = catalogue.find(name);
        if (skill === undefined) problems.push(`There is no skill "${name}".`);
        else
          await loadSkill(skill, '', { ...load, shell: shell(parts.signal) }).then(
            (text) => void texts.push(text),
            (error: unknown) => void problems.push(error instanceof Error ? error.message : String(error)),
          );
      }
      return { texts, problems };
    };
  const recorded = (listed: Listed | undefined): AttachmentMessage | undefined =>
    listed && {
      type: 'attachment',
      uuid: ids.uuid(),
      timestamp: new Date(clock.nowMs()).toISOString(),
      ...listed,
    };

  const room: Writable<SkillsRoom> = {
    tools: NO_TOOLS,
    names: () => catalogue.skills.map(({ name }) => name),
    readableDirectories: () => catalogue.skills.map(({ directory }) => directory),
    attachmentSources: skills.offersTool ? [main.source] : [],
    compactionSources: [skillListingSource(restore), loadedSkillsSource(restore)],
    startSubmission() {
      void catalogue.refresh();
    },
    async settled() {
      await catalogue.settled();
      offersTool();
    },
    announce: (view) => recorded(main.announce(view)),
    preload: preloadBy(parts.shell),
    forAgent(world) {
      const own = told(world);
      let tool: AnyTool | undefined;
      return {
        source: own.source,
        announce: (view) => recorded(own.announce(view)),
        own(given) {
          if (given.name !== SKILL_TOOL) return given;
          tool ??= createSkillTool({ ...toolPorts, allow, adopt: world.adopt, shell: world.shell });
          return tool;
        },
        preload: preloadBy(world.shell),
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
  return room;
}

const preloadNone: PreloadSkills = async (names) => ({
  texts: [],
  problems: names.map((name) => `There is no skill "${name}".`),
});

const NO_AGENT_SKILLS: AgentSkills = {
  source: { name: 'skills', collect: () => [] },
  announce: () => undefined,
  own: (tool) => tool,
  preload: preloadNone,
};

const NO_SKILLS: SkillsRoom = {
  names: () => [],
  tools: NO_TOOLS,
  readableDirectories: () => [],
  attachmentSources: [],
  compactionSources: [],
  startSubmission() {},
  async settled() {},
  announce: () => undefined,
  preload: preloadNone,
  forAgent: () => NO_AGENT_SKILLS,
  endSubmission() {},
  reload: async () => [],
};

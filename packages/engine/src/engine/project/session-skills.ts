/**
 * Skills in a session: read at each submission's start, listed by name, loaded by the Skill tool or as
 * `/name`.
 */

import { isAbsolute, resolve } from 'node:path';
import type { Scope } from '@turnwright/base/async/scope.ts';
import { extended } from '@turnwright/base/collections/extended.ts';
import { errorText } from '@turnwright/base/text/error-text.ts';
import { isoTime } from '@turnwright/base/text/figures-and-times.ts';
import type { AttachmentSource } from '../../attachments/source.ts';
import type { CompactionSource } from '../../protocol/model/context.ts';
import type { AttachmentMessage } from '../../protocol/model/messages.ts';
import type { View } from '../../protocol/model/view.ts';
import type { Clock, Ids } from '../../protocol/ports.ts';
import type { SlashCommandInfo } from '../../protocol/stream/session-messages.ts';
import type { AnyTool } from '../../protocol/tools/tool.ts';
import type { SkillCatalogue } from '../../skills/catalogue.ts';
import type { ListingOptions, SkillListingMessage } from '../../skills/listing.ts';
import { type LoadContext, loadSkill } from '../../skills/load-skill.ts';
import { loadedSkillsSource, skillListingSource } from '../../skills/restore.ts';
import { type ToldSkills, toldSkills } from '../../skills/skill-announcements.ts';
import { createSkillTool, SKILL_TOOL, type SkillToolPorts } from '../../skills/skill-tool.ts';

/** What a session's skills come from; made by `openSkills` before the engine is. */
export interface SkillSetup {
  readonly catalogue: SkillCatalogue;
  readonly listing: ListingOptions;
  /** false: the model gets no Skill tool and hears of no skill. */
  readonly offersTool: boolean;
}

export interface SkillsRoom {
  /** Names of those that the user can call, for `system/init`. */
  names(): readonly string[];
  /** The Skill tool once there was a skill to load; the same array while nothing changed. */
  readonly tools: readonly AnyTool[];
  /** Folders of skills, whose files the model may read. */
  readableDirectories(): readonly string[];
  readonly attachmentSources: readonly AttachmentSource[];
  readonly compactionSources: readonly CompactionSource[];
  /** L1 phase 1: what was found before is looked at anew, beside everything else. */
  startSubmission(): void;
  /** L1 phase 4: waits for the list of skills, but not for a slow disk: its skills are announced later. */
  settled(): Promise<void>;
  /** The announcement of skills that the conversation lacks; undefined if it is up to date. */
  announce(view: View): AttachmentMessage | undefined;
  preload(...skills: Parameters<PreloadSkills>): ReturnType<PreloadSkills>;
  /** The same for the conversation of an agent. */
  forAgent(world: SkillWorld): AgentSkills;
  /** Takes back what skills allowed. */
  endSubmission(): void;
  reload(): Promise<readonly SlashCommandInfo[]>;
}

/** What differs between the conversations that load skills. */
type SkillWorld = Pick<SkillToolPorts, 'adopt' | 'shell'> & {
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

interface SkillsParts extends Pick<SkillToolPorts, 'adopt' | 'fork' | 'shell'> {
  readonly clock: Clock;
  readonly ids: Ids;
  readonly files: LoadContext['files'];
  readonly sessionId: string;
  contextWindow(): number;
  /** Where the relative paths of calls count from. */
  readonly folder: { readonly now: string };
  /** The session's. */
  readonly scope: Pick<Scope, 'signal'>;
  /** Allows these rules until the returned function is called. */
  allow(rules: readonly string[]): Promise<() => void>;
}

const NO_TOOLS: readonly AnyTool[] = Object.freeze([]);

export function composeSkills(setup: SkillSetup | undefined, parts: SkillsParts): SkillsRoom {
  return setup === undefined ? NO_SKILLS : new Skills(setup, parts);
}

type ToolWorld = Pick<SkillToolPorts, 'adopt' | 'shell'>;

class Skills implements SkillsRoom {
  readonly #setup: SkillSetup;
  readonly #parts: SkillsParts;
  tools = NO_TOOLS;
  #main: ToldSkills | undefined;
  #takeBack: readonly (() => void)[] = [];

  constructor(setup: SkillSetup, parts: SkillsParts) {
    this.#setup = setup;
    this.#parts = parts;
  }

  names(): readonly string[] {
    const { skills } = this.#setup.catalogue;
    return skills.flatMap(({ name, userInvocable, dormant }) =>
      userInvocable && dormant !== true ? [name] : [],
    );
  }

  readableDirectories(): readonly string[] {
    return this.#setup.catalogue.skills.map(({ directory }) => directory);
  }

  get attachmentSources(): readonly AttachmentSource[] {
    return this.#setup.offersTool ? [this.#mainTold()] : [];
  }

  get compactionSources(): readonly CompactionSource[] {
    const { clock, ids } = this.#parts;
    const restore = { ids, nowMs: () => clock.nowMs() };
    return [skillListingSource(restore), loadedSkillsSource(restore)];
  }

  startSubmission(): void {
    void this.#setup.catalogue.refresh();
  }

  async settled(): Promise<void> {
    await this.#setup.catalogue.settled();
    this.#offerTool();
  }

  announce(view: View): AttachmentMessage | undefined {
    return this.#setup.offersTool ? this.#recorded(this.#mainTold().announce(view)) : undefined;
  }

  preload(names: readonly string[]): ReturnType<PreloadSkills> {
    return this.#preloadBy(names, this.#parts.shell);
  }

  forAgent(world: SkillWorld): AgentSkills {
    const own = this.#told(world);
    let tool: AnyTool | undefined;
    return {
      source: own,
      announce: (view) => this.#recorded(own.announce(view)),
      own: (given) => {
        if (given.name !== SKILL_TOOL) return given;
        tool ??= this.#toolFor(world);
        return tool;
      },
      preload: (names) => this.#preloadBy(names, world.shell),
    };
  }

  endSubmission(): void {
    for (const undo of this.#takeBack) undo();
    this.#takeBack = [];
  }

  async reload(): Promise<readonly SlashCommandInfo[]> {
    const found = await this.#setup.catalogue.refresh();
    this.#offerTool();
    return found
      .filter(({ userInvocable }) => userInvocable)
      .map(({ name, description, argumentHint = '' }) => ({ name, description, argumentHint }));
  }

  #offerTool(): void {
    const { catalogue, offersTool } = this.#setup;
    if (!offersTool || this.tools.length > 0) return;
    if (catalogue.skills.some(({ modelInvocable }) => modelInvocable))
      this.tools = [this.#toolFor(this.#parts)];
  }

  #toolFor({ adopt, shell }: ToolWorld): AnyTool {
    const { allow, files, fork, ids, sessionId } = this.#parts;
    return createSkillTool({
      catalogue: this.#setup.catalogue,
      load: { files, sessionId },
      ids,
      fork,
      adopt,
      shell,
      allow: async (rules) => {
        const undo = await allow(rules);
        this.#takeBack = [...this.#takeBack, undo];
      },
    });
  }

  #mainTold(): ToldSkills {
    this.#main ??= this.#told({
      contextWindow: this.#parts.contextWindow,
      isOffered: () => {
        this.#offerTool();
        return this.tools.length > 0;
      },
    });
    return this.#main;
  }

  #told(world: Pick<SkillWorld, 'contextWindow' | 'isOffered'>): ToldSkills {
    const { catalogue, listing } = this.#setup;
    const absolute = (path: string) => (isAbsolute(path) ? path : resolve(this.#parts.folder.now, path));
    return toldSkills(extended(world, { catalogue, listing, absolute }));
  }

  async #preloadBy(names: readonly string[], shell: SkillToolPorts['shell']): ReturnType<PreloadSkills> {
    const { files, sessionId, scope } = this.#parts;
    const texts: string[] = [];
    const problems: string[] = [];
    for (const name of names) {
      const skill = this.#setup.catalogue.find(name);
      if (skill === undefined) problems.push(`There is no skill "${name}".`);
      else
        await loadSkill(skill, '', { files, sessionId, shell: shell(scope.signal, 'other') }).then(
          ({ text }) => void texts.push(text),
          (error: unknown) => void problems.push(errorText(error)),
        );
    }
    return { texts, problems };
  }

  #recorded(listed: SkillListingMessage | undefined): AttachmentMessage | undefined {
    const { clock, ids } = this.#parts;
    return (
      listed && {
        type: 'attachment',
        uuid: ids.uuid(),
        timestamp: isoTime(clock.nowMs()),
        ...listed,
      }
    );
  }
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

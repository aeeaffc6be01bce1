/** How each type of provider is spoken to: a line for each, whose wire is loaded when it is asked first. */
import type { DEFAULT_PROVIDER, ProviderType } from '../protocol/model/provider.ts';
import type { WireAccess, WireSetup } from './wire-setup.ts';

/** Opens nothing and sends nothing; a package of the user is looked for, not loaded. */
type ReachProvider = (setup: WireSetup) => WireAccess;

/** The Messages API at an address is not among them: it is the client's own wire. */
type Other = Exclude<ProviderType, typeof DEFAULT_PROVIDER>;

const WIRES: Readonly<Record<Other, () => Promise<ReachProvider>>> = {
  bedrock: async () => (await import('./cloud/bedrock.ts')).bedrockAccess,
  vertex: async () => (await import('./cloud/vertex.ts')).vertexAccess,
  foundry: async () => (await import('./cloud/foundry.ts')).foundryAccess,
  'openai-compatible': async () => (await import('./openai/openai-wire.ts')).openAiAccess,
  'ai-sdk': async () => (await import('./ai-sdk/ai-sdk-wire.ts')).aiSdkAccess,
  wire: async () => (await import('./own-wire.ts')).ownAccess,
};

export async function reachProvider(setup: WireSetup): Promise<WireAccess> {
  const reach = await WIRES[setup.provider.type as Other]();
  return reach(setup);
}

/** How a cloud provider is reached, by the variables and settings that its users know. */
import { bedrockAccess } from './bedrock.ts';
import type { CloudAccess, CloudName, CloudSetup } from './cloud-setup.ts';
import { foundryAccess } from './foundry.ts';
import { vertexAccess } from './vertex.ts';

const ACCESS: Readonly<Record<CloudName, (setup: CloudSetup) => CloudAccess>> = {
  bedrock: bedrockAccess,
  vertex: vertexAccess,
  foundry: foundryAccess,
};

/** Opens nothing and sends nothing; a package of the user is looked for, not loaded. */
export function cloudAccess(name: CloudName, setup: CloudSetup): CloudAccess {
  return ACCESS[name](setup);
}

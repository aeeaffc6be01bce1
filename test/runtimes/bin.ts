import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const HERE = fileURLToPath(new URL('.', import.meta.url));

export const bin = (name: string) => join(HERE, 'node_modules', '.bin', name);

import { join } from 'node:path';
export function sessionsDirectory(home: string, cwd: string): string {
  return join(home, 'projects', cwd.replace(/[^a-zA-Z0-9]/g, '-'));
}

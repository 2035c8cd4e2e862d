import path from 'node:path';
import { DEMO_PROJECT, TOUR_PROMPT } from '../core/models/demo-project.ts';
import type { System } from '../system/system.ts';

/** Lays the throw-away sample project into a new temp folder; answers that folder. */
export async function makeDemoProject({ files }: System): Promise<string> {
  const folder = await files.makeTempFolder('houston-demo-');
  for (const [name, text] of Object.entries(DEMO_PROJECT)) {
    const file = path.join(folder, name);
    await files.makeFolder(path.dirname(file), 0o755);
    await files.createNew(file, new TextEncoder().encode(text), 0o644);
  }
  return (await files.realPath(folder)) ?? folder;
}

export function tourPrompt(): string {
  return TOUR_PROMPT;
}

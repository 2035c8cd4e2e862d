import { askPerson } from './ask-person.ts';
import { editFile } from './edit-file.ts';
import { fetchUrl } from './fetch-url.ts';
import { findFiles } from './find-files.ts';
import { job } from './job.ts';
import { listFiles } from './list-files.ts';
import { loadSkill } from './load-skill.ts';
import { lsp } from './lsp.ts';
import { paceLoop } from './pace-loop.ts';
import { readFile } from './read-file.ts';
import { readOutput } from './read-output.ts';
import { runShell } from './run-shell.ts';
import { searchText } from './search-text.ts';
import { spawnAgent } from './spawn-agent.ts';
import { spawnProcessor } from './spawn-processor.ts';
import { todoWrite } from './todo-write.ts';
import type { Tool } from './tool.ts';
import { vetContent } from './vet-content.ts';
import { watchFile } from './watch-file.ts';
import { writeFile } from './write-file.ts';

/** Every tool there is, in the order the model is told of them: a stable one, so that the prefix stays cached. */
export function createTools(): readonly Tool[] {
  return [
    readFile,
    listFiles,
    findFiles,
    searchText,
    lsp,
    editFile,
    writeFile,
    runShell,
    job,
    fetchUrl,
    readOutput,
    vetContent,
    spawnProcessor,
    spawnAgent,
    loadSkill,
    askPerson,
    todoWrite,
    watchFile,
    paceLoop,
  ];
}

export const TOOL_NAMES: readonly string[] = createTools().map((tool) => tool.name);

import { askPerson } from './ask-person.ts';
import { editFile } from './edit-file.ts';
import { findFiles } from './find-files.ts';
import { listFiles } from './list-files.ts';
import { readFile } from './read-file.ts';
import { runShell } from './run-shell.ts';
import { searchText } from './search-text.ts';
import { todoWrite } from './todo-write.ts';
import type { Tool } from './tool.ts';
import { writeFile } from './write-file.ts';

/** Every tool there is, in the order the model is told of them: a stable one, so that the prefix stays cached. */
export function createTools(): readonly Tool[] {
  return [readFile, listFiles, findFiles, searchText, editFile, writeFile, runShell, askPerson, todoWrite];
}

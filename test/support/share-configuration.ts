// One of several programs that write into one configuration at once: `share-configuration.ts CONFIG STATE NUMBER [stay]`.
import path from 'node:path';
import { settingsSavers } from '../../src/cli/save-settings.ts';
import { openPromptHistory } from '../../src/core/journal/prompt-history.ts';
import { createBunSystem } from '../../src/system/bun/system.ts';

const [config = '', state = '', number = '', how] = process.argv.slice(2);
const system = createBunSystem();
const history = await openPromptHistory(system, path.join(state, 'history.jsonl'));
const { saveEffort } = settingsSavers(system, config);
let said = 0;
do {
  if (!(await saveEffort(`own:${number}`, 'high'))) throw new Error('not saved');
  // Written anew each time.
  if (how === 'stay') await saveEffort(`own:${number}`, null);
  for (let at = 0; at < (how === 'stay' ? 1 : 50); at++) await history.add(`${number} says ${said++}`, '/w');
} while (how === 'stay');

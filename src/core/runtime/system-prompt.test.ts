import { expect, test } from 'bun:test';
import { systemPrompt } from './system-prompt.ts';

const PLACE = {
  folder: '/yard',
  roots: [],
  git: true,
  githubCli: false,
  platform: 'linux',
  systemVersion: 'Debian 12',
  shell: 'bash',
  date: '2026-01-02',
  scratch: '/tmp',
};

test('the surroundings are told, and nothing else of the machine (INS-5)', () => {
  const [character, place, ...rest] = systemPrompt(PLACE, []);
  expect(character).toStartWith('You are Houston');
  expect(place).toBe(
    '# Where you work\n- Working folder: /yard\n- Git repository: yes\n- GitHub CLI (gh): no\n- Platform: linux (Debian 12)\n- Shell: bash\n- Date: 2026-01-02\n- Folder for scratch files: /tmp',
  );
  expect(rest).toEqual([]);
});

test('instructions come last, each under its source, and leave the blocks before them as they are', () => {
  const bare = systemPrompt(PLACE, []);
  const [first, second, texts] = systemPrompt(PLACE, [
    { source: '/home/pat/AGENTS.md', text: 'RULE-1\n' },
    { source: '/yard/AGENTS.md', text: 'RULE-9' },
  ]);
  expect([first, second]).toEqual([bare[0], bare[1]]);
  expect(texts).toEndWith('## From /home/pat/AGENTS.md\n\nRULE-1\n\n## From /yard/AGENTS.md\n\nRULE-9');
});

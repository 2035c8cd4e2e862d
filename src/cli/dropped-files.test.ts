import { expect, test } from 'bun:test';
import { createMemorySystem } from '../system/memory/system.ts';
import { readDroppedFiles } from './dropped-files.ts';

test('a picture, a PDF and text are carried, whatever the case of their endings; of anything else nothing is (ADD-9)', async () => {
  const { files } = createMemorySystem();
  await files.makeFolder('/yard/folder', 0o755);
  files.seed('/yard/Shot One.PNG', 'a picture');
  files.seed('/yard/paper.Pdf', '%PDF');
  files.seed('/yard/notes', 'héllo');
  files.seed('/yard/program', 'a\0b');
  files.seed('/yard/huge.png', 'x'.repeat(10 * 1024 * 1024 + 1));
  const found = await readDroppedFiles(files, ['/yard/Shot One.PNG', '/yard/paper.Pdf', '/yard/notes']);
  expect(found).toEqual({
    kind: 'files',
    files: [
      { kind: 'image', name: 'Shot One.PNG', mediaType: 'image/png', base64: btoa('a picture') },
      { kind: 'file', name: 'paper.Pdf', mediaType: 'application/pdf', base64: btoa('%PDF') },
      { kind: 'file', name: 'notes', mediaType: 'text/plain', base64: Buffer.from('héllo').toString('base64') },
    ],
  });
  for (const other of ['/yard/folder', '/yard/program', '/yard/gone.png'])
    expect(await readDroppedFiles(files, ['/yard/notes', other])).toEqual({ kind: 'none' });
  expect(await readDroppedFiles(files, ['/yard/huge.png'])).toEqual({
    kind: 'refused',
    why: 'huge.png has 10.0 MB, 10 MB is the most',
  });
});
